;;; tacet-mode.el --- Major mode for Tacet -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, indentation and comments for Tacet, and its language server for eglot and lsp-mode.
;; `tacet-mode' works everywhere; where Emacs has tree-sitter (29 and later) and the parser is
;; installed, `tacet-ts-mode' takes its place, which colours by the syntax tree.

;;; Code:

(require 'tacet-words)
(require 'tacet-secrets)
(require 'prog-mode)

(declare-function treesit-ready-p "treesit")
(declare-function treesit-parser-create "treesit")
(declare-function treesit-font-lock-rules "treesit")
(declare-function treesit-major-mode-setup "treesit")
(declare-function treesit-node-text "treesit")
(declare-function treesit-node-child-by-field-name "treesit")
(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function lsp-activate-on "lsp-mode")
(declare-function eglot-current-server "eglot")
(declare-function eglot--TextDocumentPositionParams "eglot")
(declare-function jsonrpc-request "jsonrpc")
(declare-function lsp-request "lsp-mode")
(declare-function lsp--text-document-position-params "lsp-mode")

(defgroup tacet nil
  "Programs that compute on data they may not see."
  :group 'languages
  :prefix "tacet-")

(defcustom tacet-program "tacet"
  "The program `tacet', which is the language server too."
  :type 'string)

(defcustom tacet-indent-offset 4
  "How far a line stands in behind a bracket that is left open."
  :type 'integer
  :safe #'integerp)

;;;; Syntax

(defvar tacet-base-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?# "." table)
    (modify-syntax-entry ?' "." table)
    (dolist (mark '(?+ ?- ?% ?& ?| ?^ ?! ?~ ?< ?> ?= ?@ ??))
      (modify-syntax-entry mark "." table))
    table)
  "Syntax of Tacet: C's comments, strings of one line.")

(defun tacet--before (words)
  "A regular expression of WORDS that something follows which no name has."
  (concat (regexp-opt words 'symbols)
          "\\(?:[ \t]+[[:alnum:]_\"([?~!&*-]\\|[ \t]*[{;]\\|[ \t]*$\\)"))

(defvar tacet-font-lock-keywords
  `((,(concat (regexp-opt tacet-words-item 'symbols)
              "\\(?:[ \t]*([ \t]*\\(\\w+\\)[ \t]*)\\)?[ \t]*\\(?:\\_<pure\\_>[ \t]*\\)?"
              "\\_<\\([[:alpha:]][[:alnum:]_]*\\)\\_>")
     (2 font-lock-constant-face nil t)
     (3 font-lock-function-name-face))
    ("#version\\_>" . font-lock-preprocessor-face)
    ("\\_<\\(val\\|tmln\\|sptl\\)\\_>\\(?:[.)]\\|-[a-z?]\\)" 1 font-lock-preprocessor-face)
    ("\\_<\\(node\\|none\\|input\\)\\_>(" 1 font-lock-preprocessor-face)
    ("-\\(?:usable\\|saved\\|need\\|dead\\|\\?\\)" . font-lock-preprocessor-face)
    ("@" . font-lock-preprocessor-face)
    (,(regexp-opt tacet-words-keyword-free 'symbols) . font-lock-keyword-face)
    (,(tacet--before tacet-words-keyword-before) 1 font-lock-keyword-face)
    (,(tacet--before tacet-words-warning-before) 1 'tacet-secret)
    (,(tacet--before tacet-words-type-before) 1 font-lock-type-face)
    (,(regexp-opt tacet-words-type-free 'symbols) . font-lock-type-face)
    (,(regexp-opt tacet-words-constant-free 'symbols) . font-lock-constant-face)
    (,(concat (regexp-opt tacet-words-builtin 'symbols) "[ \t]*(") 1 font-lock-builtin-face)
    ("\\?\\?\\?\\|\\?" . font-lock-warning-face)
    ("\\_<[0-9]+\\(?:\\.[0-9]+\\)*\\_>" . font-lock-constant-face))
  "What `tacet-mode' colours, by the words of the grammar.")

(defun tacet--comment-face (state)
  "The face of the string or comment that the parser STATE is in."
  (cond ((nth 3 state) font-lock-string-face)
        ((save-excursion
           (goto-char (nth 8 state))
           (looking-at-p "///\\(?:[^/]\\|$\\)"))
         font-lock-doc-face)
        (t font-lock-comment-face)))

;;;; Indentation

(defun tacet--indentation ()
  "The column where the current line should begin, or nil in a block comment."
  (save-excursion
    (back-to-indentation)
    (let* ((state (syntax-ppss))
           (open (nth 1 state)))
      (cond ((or (nth 3 state) (nth 4 state)) nil)
            ((null open) 0)
            (t (let ((closes (looking-at-p "[])}]")))
                 (goto-char open)
                 ;; Brackets that one line opens count once.
                 (back-to-indentation)
                 (+ (current-column) (if closes 0 tacet-indent-offset))))))))

(defun tacet-indent-line ()
  "Indent the current line by the brackets that are open where it begins."
  (interactive)
  (let ((column (tacet--indentation))
        (behind (- (current-column) (current-indentation))))
    (if (null column)
        'noindent
      (indent-line-to column)
      (when (> behind 0)
        (move-to-column (+ column behind))))))

;;;; Modes

(define-derived-mode tacet-base-mode prog-mode "Tacet"
  "What the modes of Tacet have in common."
  :abbrev-table nil
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?://+\\|/\\*+\\)[ \t]*")
  (setq-local parse-sexp-ignore-comments t)
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'tacet-indent-line)
  (setq-local electric-indent-chars (append "{}[]();" electric-indent-chars))
  (tacet--fit-contrast)
  (when (and buffer-file-name tacet-show-secrets)
    (tacet-secrets-mode)))

;;;###autoload
(define-derived-mode tacet-mode tacet-base-mode "Tacet"
  "Major mode for Tacet that needs no parser."
  (setq-local font-lock-defaults
              '(tacet-font-lock-keywords
                nil nil nil nil
                (font-lock-syntactic-face-function . tacet--comment-face)))
  (setq-local imenu-generic-expression
              `((nil ,(concat "^[ \t]*" (regexp-opt tacet-words-item t)
                              "\\_>\\(?:[ \t]*([^)]*)\\)?[ \t]+\\(?:pure[ \t]+\\)?"
                              "\\([[:alpha:]][[:alnum:]_]*\\)")
                     2))))

(defvar tacet--treesit-items
  '("val_item" "tmln_item" "sptl_item" "extern_item" "feq_item" "fn_item" "pipeline_item")
  "The kinds of nodes that have the name of a function.")

(defun tacet--treesit-rules ()
  "What `tacet-ts-mode' colours."
  (treesit-font-lock-rules
   :language 'tacet :feature 'comment
   '([(line_comment) (block_comment)] @font-lock-comment-face
     (doc_comment) @font-lock-doc-face)
   :language 'tacet :feature 'definition
   (mapcar (lambda (item) `(,(intern item) name: (identifier) @font-lock-function-name-face))
           tacet--treesit-items)
   :language 'tacet :feature 'definition
   '((type_item name: (identifier) @font-lock-type-face)
     (const_item name: (identifier) @font-lock-constant-face)
     (party_item name: (identifier) @font-lock-constant-face)
     (parameter name: (identifier) @font-lock-variable-name-face)
     (binding name: (identifier) @font-lock-variable-name-face)
     (spec_binding name: (identifier) @font-lock-variable-name-face))
   :language 'tacet :feature 'keyword
   '(["#version"] @font-lock-preprocessor-face
     ["val" "tmln" "sptl" "fn" "extern" "feq" "pipeline" "test" "type" "const" "party" "import"
      "impls" "schedule" "let" "var" "if" "else" "for" "in" "step" "max" "while" "do" "break"
      "continue" "return" "returns" "as" "encode" "encode-begin" "submit" "await"]
     @font-lock-keyword-face
     (purity) @font-lock-keyword-face
     (visibility "secret") @tacet-secret
     (visibility "public") @font-lock-type-face)
   :language 'tacet :feature 'string
   '((string) @font-lock-string-face)
   :language 'tacet :feature 'type
   '((primitive_type) @font-lock-type-face
     (named_type) @font-lock-type-face)
   :language 'tacet :feature 'tag
   '([(quotient) (dimension) (flow) "@"] @font-lock-preprocessor-face
     (quotient_node name: (identifier) @font-lock-constant-face))
   :language 'tacet :feature 'number
   '([(integer) (float) (boolean) (version_number)] @font-lock-constant-face
     [(hole) (statement_hole) "???"] @font-lock-warning-face)
   :language 'tacet :feature 'function
   '((call_expression function: (identifier) @font-lock-function-name-face))))

(defun tacet--treesit-name (node)
  "The name of the item NODE."
  (treesit-node-text (treesit-node-child-by-field-name node "name") t))

(defvar treesit-font-lock-settings)
(defvar treesit-font-lock-feature-list)
(defvar treesit-simple-imenu-settings)
(defvar treesit-defun-type-regexp)

;;;###autoload
(define-derived-mode tacet-ts-mode tacet-base-mode "Tacet"
  "Major mode for Tacet that colours by the syntax tree."
  (when (and (require 'treesit nil t) (treesit-ready-p 'tacet))
    (treesit-parser-create 'tacet)
    (setq-local treesit-font-lock-settings (tacet--treesit-rules))
    (setq-local treesit-font-lock-feature-list
                '((comment definition) (keyword string type tag) (number function)))
    (setq-local treesit-defun-type-regexp (regexp-opt tacet--treesit-items))
    (setq-local treesit-simple-imenu-settings
                `((nil ,(regexp-opt tacet--treesit-items) nil tacet--treesit-name)))
    (treesit-major-mode-setup)))

(defun tacet-best-mode ()
  "Turn on `tacet-ts-mode' if the parser is there, `tacet-mode' otherwise."
  (if (and (require 'treesit nil t) (treesit-ready-p 'tacet t))
      (tacet-ts-mode)
    (tacet-mode)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:tacet\\|tlhe\\)\\'" . tacet-best-mode))
;;;###autoload
(add-to-list 'magic-mode-alist '("#version [0-9]+\\.[0-9]+\\.[0-9]+[ \t\r\n]" . tacet-best-mode))

;;;; The language server

(defvar tacet--missing nil
  "The program that a warning reported missing, which is given once.")

(defun tacet--command (&rest _)
  "How the language server is started.
If it is missing, an error and the first time a warning say what to do."
  (if (executable-find tacet-program)
      (setq tacet--missing nil)
    (let ((problem (format-message "there is no program `%s': install Tacet, or set `tacet-program' to its path"
                                   tacet-program)))
      (unless (equal tacet--missing tacet-program)
        (setq tacet--missing tacet-program)
        (display-warning 'tacet problem))
      (user-error "Tacet: %s" problem)))
  (list tacet-program "lsp"))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `((tacet-mode tacet-ts-mode)
                 . tacet--command)))

(defvar lsp-language-id-configuration)
(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(tacet-mode . "tacet"))
  (add-to-list 'lsp-language-id-configuration '(tacet-ts-mode . "tacet"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () (list tacet-program "lsp")))
                    :activation-fn (lsp-activate-on "tacet")
                    :semantic-tokens-faces-overrides '(:modifiers (("secret" . tacet-secret)))
                    :server-id 'tacet)))

(defconst tacet-stages
  '("tree" "ast" "hir" "ssa" "quotients" "annotated" "cps" "random" "oblivious" "array" "schedule"
    "circuit" "approximations" "loops" "program" "dot" "mpc")
  "What `tacet-show-stage' can show, in the order of the compiler.")

(defun tacet--ask-for-stage (stage)
  "What the server, eglot's or lsp-mode's, answers to `tacet/stage' with STAGE.
While it searches for a schedule, it is asked again."
  (let ((answer 'unfinished)
        (n 0))
    (while (eq answer 'unfinished)
      (condition-case problem
          (setq answer
                (cond ((and (fboundp 'eglot-current-server) (eglot-current-server))
                       (jsonrpc-request (eglot-current-server) :tacet/stage
                                        (append (eglot--TextDocumentPositionParams)
                                                (list :stage stage))))
                      ((bound-and-true-p lsp-mode)
                       (lsp-request "tacet/stage"
                                    (append (lsp--text-document-position-params)
                                            (list :stage stage))))
                      (t (user-error "No language server runs: M-x eglot starts it"))))
        (user-error (signal (car problem) (cdr problem)))
        (error
         (let ((message (tacet--message-of problem)))
           (unless (and (string-match-p "ask again" message) (< (setq n (1+ n)) 100))
             (user-error "%s" message))
           (sit-for 0.3)))))
    answer))

(defun tacet--message-of (problem)
  "What the server says in PROBLEM, an error."
  (let ((data (cddr problem)))
    (or (and (listp data) (consp (car-safe data)) (alist-get 'jsonrpc-error-message data))
        (error-message-string problem))))

(defun tacet-show-stage (stage)
  "Show in another window what the compiler makes of what is at point: STAGE."
  (interactive (list (completing-read "Stage: " tacet-stages nil t)))
  (let* ((answer (tacet--ask-for-stage stage))
         (get (lambda (key) (if (hash-table-p answer)
                                (gethash (substring (symbol-name key) 1) answer)
                              (plist-get answer key))))
         (text (funcall get :text))
         (line (funcall get :line))
         (is-source (equal (funcall get :languageId) "tacet")))
    (with-current-buffer (get-buffer-create (format "*tacet %s*" stage))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert text))
      ;; It is a piece of a program, which words are better for than a parser is.
      (if is-source (tacet-mode) (fundamental-mode))
      (setq buffer-read-only t)
      (goto-char (point-min))
      (forward-line line)
      (let ((window (display-buffer (current-buffer))))
        (set-window-point window (point))
        (set-window-start window (point))))))

(defun tacet-oblivious-form ()
  "Show in another window how the compiler would run the function at point."
  (interactive)
  (tacet-show-stage "oblivious"))

;;;; Checking a project

(defvar compilation-error-regexp-alist)
(defvar compilation-error-regexp-alist-alist)
(with-eval-after-load 'compile
  (add-to-list 'compilation-error-regexp-alist 'tacet)
  (add-to-list 'compilation-error-regexp-alist-alist
               '(tacet "^\\(.+?\\):\\([0-9]+\\):\\([0-9]+\\): \\(?:error\\|\\(warning\\)\\|\\(information\\|hint\\)\\)\\[T[0-9]\\{4\\}\\]: "
                       1 2 3 (4 . 5))))

(defun tacet-check ()
  "Check the project with `tacet check', and show what is wrong with it."
  (interactive)
  (tacet--command)
  (compile (concat (shell-quote-argument tacet-program) " check --format short")))

(provide 'tacet-mode)
;;; tacet-mode.el ends here
