;;; tacet-mode-test.el --- Tests of tacet-mode -*- lexical-binding: t -*-

;;; Commentary:

;; emacs --batch -L editors/emacs -l tacet-mode-test.el -f ert-run-tests-batch-and-exit
;; TACET names the server; without eglot its test is skipped.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'imenu)
(require 'tacet-mode)

(defconst tacet-test-program
  "#version 0.1.0

/// Adds one.
val add_one(x: i64) -> i64 {
    returns x + 1
}
// At once.
tmln at_once(start: Event) -> Event {
    returns start
}
sptl in_no_buffer(space: BufferSpace) -> BufferSpace {
    returns space
}
fn keep(
    x: i64
) -> i64 impls add_one, at_once, in_no_buffer {
    if x > \"}\" {
        let max = 1;
    } else {
        x
    }
}
fn(mpc) larger(a: secret i64, b: secret [i64; 4]) -> secret i64 {
    while a < 3 max 5 {
        a = max(a, 1);
    }
}
")

(defmacro tacet-test-with (text &rest body)
  "Run BODY in a buffer of `tacet-mode' with TEXT."
  (declare (indent 1))
  `(with-temp-buffer
     (insert ,text)
     (tacet-mode)
     (font-lock-ensure)
     (goto-char (point-min))
     ,@body))

(defun tacet-test-faces (place)
  "The face of the text that PLACE ends with; the search goes on from point."
  (search-forward place)
  (get-text-property (1- (point)) 'face))

(ert-deftest tacet-colours ()
  (tacet-test-with tacet-test-program
    (dolist (step '(("#version" . font-lock-preprocessor-face)
                    ("Adds" . font-lock-doc-face)
                    ("val" . font-lock-keyword-face)
                    ("add_one" . font-lock-function-name-face)
                    ("i64" . font-lock-type-face)
                    ("At once" . font-lock-comment-face)
                    ("BufferSpace" . font-lock-type-face)
                    ("impls" . font-lock-keyword-face)
                    ("\"}" . font-lock-string-face)
                    ("let" . font-lock-keyword-face)
                    ("max" . nil)
                    ("fn(mpc" . font-lock-constant-face)
                    ("larger" . font-lock-function-name-face)
                    ("secret" . tacet-secret)
                    ("b: secret" . tacet-secret)
                    ("while" . font-lock-keyword-face)
                    ("3 max" . font-lock-keyword-face)
                    ("max" . font-lock-builtin-face)))
      (should (equal (cons (car step) (tacet-test-faces (car step))) step)))))

(defun tacet-test-colour (face background n-colours)
  "The foreground of FACE on BACKGROUND where there are N-COLOURS."
  (cl-letf (((symbol-function 'display-color-cells) (lambda (&rest _) n-colours)))
    (modify-frame-parameters nil `((display-type . ,(if (> n-colours 2) 'color 'mono))
                                   (background-mode . ,background)))
    (plist-get (face-spec-choose (get face 'face-defface-spec)) :foreground)))

(ert-deftest tacet-secret-colours ()
  "Secrets have colours for light and dark backgrounds, and for high contrast."
  (dolist (step '((tacet-secret light 16777216 "#6b2fb3")
                  (tacet-secret dark 256 "#d9b8ff")
                  (tacet-secret dark 8 "magenta")
                  (tacet-secret light 2 nil)
                  (tacet-secret-contrast light 256 "#4b0099")
                  (tacet-secret-contrast dark 256 "#e6d0ff")))
    (should (equal (append (butlast step)
                           (list (tacet-test-colour (nth 0 step) (nth 1 step) (nth 2 step))))
                   step))))

(ert-deftest tacet-secret-contrast ()
  "A theme of high contrast is noticed, unless the user decided."
  (dolist (step '(("#000000" "#ffffff" theme t) ("white" "black" theme t)
                  ("#d4d4d4" "#1e1e1e" theme nil) ("#333333" "#ffffff" theme nil)
                  ("#333333" "#ffffff" t t) ("#000000" "#ffffff" nil nil)))
    (cl-letf (((symbol-function 'face-foreground) (lambda (&rest _) (nth 0 step)))
              ((symbol-function 'face-background) (lambda (&rest _) (nth 1 step)))
              (tacet-high-contrast (nth 2 step)))
      (tacet-test-with ""
        (should (eq (and (assq 'tacet-secret face-remapping-alist) t) (nth 3 step)))))))

(defvar treesit-extra-load-path)
(ert-deftest tacet-syntax-tree ()
  "With the parser, files open in `tacet-ts-mode', which colours by the tree."
  (let ((has-parser (and (fboundp 'treesit-available-p) (treesit-available-p)
                         (getenv "TACET_PARSER"))))
    (should (or has-parser (not (getenv "TACET_NEWER"))))
    (skip-unless has-parser))
  (let ((treesit-extra-load-path (list (getenv "TACET_PARSER"))))
    (skip-unless (treesit-language-available-p 'tacet))
    (with-temp-buffer
      (insert tacet-test-program)
      (tacet-best-mode)
      (should (eq major-mode 'tacet-ts-mode))
      (setq-local treesit-font-lock-level 3)
      (treesit-font-lock-recompute-features)
      (font-lock-ensure)
      (goto-char (point-min))
      (dolist (step '(("#version" . font-lock-preprocessor-face)
                      ("Adds" . font-lock-doc-face)
                      ("val" . font-lock-keyword-face)
                      ("add_one" . font-lock-function-name-face)
                      ("(x" . font-lock-variable-name-face)
                      ("i64" . font-lock-type-face)
                      ("At once" . font-lock-comment-face)
                      ("let" . font-lock-keyword-face)
                      ("max" . font-lock-variable-name-face)
                      ("secret" . tacet-secret)
                      ("3 max" . font-lock-keyword-face)))
        (should (equal (cons (car step) (tacet-test-faces (car step))) step)))
      (should (equal (mapcar #'car (treesit-simple-imenu))
                     '("add_one" "at_once" "in_no_buffer" "keep" "larger"))))))

(ert-deftest tacet-indentation ()
  "A program that is indented well stays as it is, however its lines were shifted."
  (dolist (shift '("" "  " "          "))
    (tacet-test-with (replace-regexp-in-string "^[ ]*\\([^ \n]\\)" (concat shift "\\1")
                                               tacet-test-program)
      (let ((inhibit-message t))
        (indent-region (point-min) (point-max)))
      (should (equal (buffer-string) tacet-test-program)))))

(ert-deftest tacet-comments ()
  (tacet-test-with "val f(a: i64) -> i64 {\n    returns a\n}\n"
    (forward-line 1)
    (comment-region (line-beginning-position) (line-end-position))
    (should (equal (buffer-substring (line-beginning-position) (line-end-position))
                   "    // returns a"))
    (uncomment-region (line-beginning-position) (line-end-position))
    (should (equal (buffer-substring (line-beginning-position) (line-end-position))
                   "    returns a"))))

(ert-deftest tacet-outline ()
  (tacet-test-with tacet-test-program
    (should (equal (mapcar #'car (imenu--make-index-alist t))
                   '("*Rescan*" "add_one" "at_once" "in_no_buffer" "keep" "larger")))))

(ert-deftest tacet-file-types ()
  (dolist (name '("a.tacet" "b.tlhe"))
    (should (eq (assoc-default name auto-mode-alist #'string-match-p) 'tacet-best-mode)))
  (with-temp-buffer
    (insert "#version 0.1.0\n")
    (setq buffer-file-name "/nowhere/c.cm")
    (set-auto-mode)
    (set-buffer-modified-p nil)
    (should (derived-mode-p 'tacet-base-mode))))

(ert-deftest tacet-check-output ()
  (require 'compile)
  (with-temp-buffer
    (insert "src/a.tacet:2:32: error[T1003]: unknown node `b`\n"
            "a.tacet:9:12: warning[T5001]: a secret decides\n")
    (compilation-mode)
    (compilation--ensure-parse (point-max))
    (goto-char (point-min))
    (dolist (expected '(("src/a.tacet" 2 2) ("a.tacet" 9 1)))
      (let* ((message (get-text-property (point) 'compilation-message))
             (place (compilation--message->loc message)))
        (should (equal (list (caar (compilation--loc->file-struct place))
                             (compilation--loc->line place)
                             (compilation--message->type message))
                       expected)))
      (forward-line))))

(defun tacet-test-await (holds)
  "Wait until HOLDS answers something, and answer that.
A server that ended is an error at once."
  (let ((end (+ (float-time) 20)) answer)
    (while (and (not (setq answer (funcall holds))) (< (float-time) end))
      (unless (and (eglot-current-server) (jsonrpc-running-p (eglot-current-server)))
        (error "The language server ended"))
      (accept-process-output nil 0.02))
    answer))

(defun tacet-test-secrets ()
  "The texts that are shown as secrets, in their order."
  (mapcar (lambda (overlay)
            (buffer-substring-no-properties (overlay-start overlay) (overlay-end overlay)))
          (sort (seq-filter (lambda (overlay) (eq (overlay-get overlay 'face) 'tacet-secret))
                            (overlays-in (point-min) (point-max)))
                (lambda (a b) (< (overlay-start a) (overlay-start b))))))

(defun tacet-test-reported-p (text)
  "Whether a diagnostic of the buffer has TEXT."
  (flymake-start)
  (seq-some (lambda (one) (string-match-p (regexp-quote text) (flymake-diagnostic-text one)))
            (flymake-diagnostics)))

(ert-deftest tacet-eglot-session ()
  "A mistake is shown and gone when mended; what the server offers is found and done."
  (skip-unless (and (getenv "TACET") (require 'eglot nil t)))
  (let* ((folder (make-temp-file "tacet-mode" t))
         (file (expand-file-name "a.tacet" folder))
         (tacet-program (getenv "TACET"))
         (eglot-sync-connect t)
         (inhibit-message t))
    (with-temp-file file
      (insert "#version 0.1.0\n/// Doubles.\nval  twice( x:i64 ) -> i64 { returns y }\n"
              "fn(mpc) larger(a: secret i64, b: secret i64) -> secret i64 {\n"
              "    if a < b { return b; }\n    return a;\n}\n"))
    (unwind-protect
        (with-current-buffer (find-file-noselect file)
          (should (derived-mode-p 'tacet-base-mode))
          (call-interactively #'eglot)
          (should (tacet-test-await (lambda () (tacet-test-reported-p "unknown node `y`"))))
          (goto-char (point-min))
          (search-forward "twice")
          (backward-char 2)
          (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                                        (eglot--TextDocumentPositionParams))))
            (should (string-match-p "Doubles" (format "%S" hover))))
          (search-forward "returns y")
          (delete-char -1)
          (insert "x + x")
          ;; What an idle moment does, of which a batch has none.
          (eglot--signal-textDocument/didChange)
          (should (tacet-test-await
                   (lambda () (not (tacet-test-reported-p "unknown node `y`")))))
          (eglot-format-buffer)
          (eglot--signal-textDocument/didChange)
          (goto-char (point-min))
          (should (search-forward "val twice(x: i64) -> i64 { returns x + x }\n" nil t))
          (search-backward "twice")
          (eglot-rename "double")
          (eglot--signal-textDocument/didChange)
          (should (search-forward "double(x: i64)" nil t))
          (search-forward "return a;")
          (backward-char)
          (delete-char -1)
          (insert "lar")
          (eglot--signal-textDocument/didChange)
          (completion-at-point)
          (should (looking-back "return larger" (line-beginning-position)))
          (delete-char (- (length "larger")))
          (insert "a")
          (eglot--signal-textDocument/didChange)
          (tacet--ask-for-secrets)
          (should (tacet-test-await
                   (lambda () (equal (tacet-test-secrets) '("a" "b" "a" "b" "b" "a")))))
          (goto-char (point-min))
          (search-forward "a < b")
          (tacet-oblivious-form)
          (with-current-buffer "*tacet oblivious*"
            (should (string-match-p "larger" (buffer-string)))
            (should-not (string-match-p "return b;" (buffer-string))))
          (tacet-show-stage "mpc")
          (with-current-buffer "*tacet mpc*"
            (should (string-match-p "\\`mpc_program" (buffer-string))))
          (should (string-match-p "there is no array program"
                                  (cadr (should-error (tacet-show-stage "array")))))
          (eglot-shutdown (eglot-current-server))
          (set-buffer-modified-p nil)
          (kill-buffer))
      (delete-directory folder t))))

(ert-deftest tacet-missing-program ()
  "A server that is not there is an error that says what to do."
  (let ((tacet-program "no-such-tacet")
        (n-warnings 0))
    (cl-letf (((symbol-function 'display-warning) (lambda (&rest _) (setq n-warnings (1+ n-warnings)))))
      (dolist (command (list #'tacet--command #'tacet-check))
        (should (string-match-p "no program .no-such-tacet.: install Tacet"
                                (cadr (should-error (funcall command) :type 'user-error))))))
    (should (equal n-warnings 1))))

(provide 'tacet-mode-test)
;;; tacet-mode-test.el ends here
