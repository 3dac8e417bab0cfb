;;; tacet-secrets.el --- Show what depends on a secret -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The faces of secrets, and a minor mode that puts them on the names to which the language server, of
;; eglot or lsp-mode, gives the modifier `secret'.

;;; Code:

(require 'face-remap)
(require 'seq)

(declare-function eglot-current-server "eglot")
(declare-function eglot-managed-p "eglot")
(declare-function eglot--server-capable "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function eglot--lsp-position-to-point "eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function lsp-request-async "lsp-mode")
(declare-function lsp-get "lsp-protocol")
(declare-function lsp--capability "lsp-mode")
(declare-function lsp--text-document-identifier "lsp-mode")
(declare-function lsp--line-character-to-point "lsp-mode")

(defface tacet-secret
  '((((class color) (min-colors 256) (background light)) :foreground "#6b2fb3" :weight bold)
    (((class color) (min-colors 256) (background dark)) :foreground "#d9b8ff" :weight bold)
    (((class color) (min-colors 8)) :foreground "magenta" :weight bold)
    (t :weight bold :underline t))
  "The face of the word `secret' and of names that depend on a secret."
  :group 'tacet)

(defface tacet-secret-contrast
  '((((class color) (min-colors 256) (background light))
     :foreground "#4b0099" :weight bold :underline t)
    (((class color) (min-colors 256) (background dark))
     :foreground "#e6d0ff" :weight bold :underline t)
    (t :weight bold :underline t))
  "What is added to `tacet-secret' where the theme has high contrast."
  :group 'tacet)

(defcustom tacet-high-contrast 'theme
  "Whether `tacet-secret-contrast' is used.
The value `theme' means: if the theme has black text on white or the
reverse, or almost so."
  :type '(choice (const theme) (const t) (const nil))
  :group 'tacet)

(defcustom tacet-show-secrets t
  "Whether names that depend on a secret have the face `tacet-secret'."
  :type 'boolean
  :group 'tacet)

;;;; Contrast

(defun tacet--luminance (colour)
  "The relative luminance of COLOUR as the WCAG computes it, or nil."
  (let ((parts (and colour (tty-color-standard-values colour)))
        (sum 0))
    (when parts
      (dolist (weight '(0.2126 0.7152 0.0722) sum)
        (let ((part (/ (pop parts) 65535.0)))
          (setq sum (+ sum (* weight (if (<= part 0.03928)
                                         (/ part 12.92)
                                       (expt (/ (+ part 0.055) 1.055) 2.4))))))))))

(defun tacet--high-contrast-p ()
  "Whether secrets are shown with high contrast."
  (if (not (eq tacet-high-contrast 'theme))
      tacet-high-contrast
    (let ((front (tacet--luminance (face-foreground 'default nil t)))
          (back (tacet--luminance (face-background 'default nil t))))
      (and front back
           (>= (/ (+ (max front back) 0.05) (+ (min front back) 0.05)) 18)))))

(defvar-local tacet--contrast nil
  "What undoes the remapping of `tacet-secret' in this buffer.")

(defun tacet--fit-contrast ()
  "Make `tacet-secret' fit the theme in this buffer."
  (when tacet--contrast
    (face-remap-remove-relative tacet--contrast))
  (setq tacet--contrast (and (tacet--high-contrast-p)
                             (face-remap-add-relative 'tacet-secret 'tacet-secret-contrast))))

(defun tacet--fit-all (&rest _)
  "Make `tacet-secret' fit the theme wherever it is used."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (derived-mode-p 'tacet-base-mode)
        (tacet--fit-contrast)))))

;; Emacs 29 and later.
(add-hook 'enable-theme-functions #'tacet--fit-all)
(add-hook 'disable-theme-functions #'tacet--fit-all)

;;;; Names

(defun tacet--show-secrets (data legend to-point)
  "Put the face on the tokens of DATA that have the modifier `secret' of LEGEND.
TO-POINT answers the position of a line and a column."
  (let* ((index (seq-position legend "secret"))
         (bit (if index (ash 1 index) 0))
         (line 0) (column 0) (i 0))
    (remove-overlays nil nil 'tacet-secret t)
    (while (< i (length data))
      (let ((down (aref data i)))
        (setq line (+ line down)
              column (+ (if (zerop down) column 0) (aref data (1+ i)))))
      (unless (zerop (logand bit (aref data (+ i 4))))
        (let ((overlay (make-overlay (funcall to-point line column)
                                     (funcall to-point line (+ column (aref data (+ i 2)))))))
          (overlay-put overlay 'tacet-secret t)
          (overlay-put overlay 'evaporate t)
          (overlay-put overlay 'face 'tacet-secret)))
      (setq i (+ i 5)))))

(defun tacet--ask-eglot-for-secrets ()
  "Ask the server of eglot for the tokens of this buffer, and show secrets."
  (let ((buffer (current-buffer))
        (tick (buffer-chars-modified-tick)))
    (jsonrpc-async-request
     (eglot-current-server) :textDocument/semanticTokens/full
     (list :textDocument (eglot--TextDocumentIdentifier))
     :deferred :tacet/secrets
     :error-fn #'ignore
     :success-fn
     (lambda (answer)
       (when (buffer-live-p buffer)
         (with-current-buffer buffer
           (when (and (= tick (buffer-chars-modified-tick)) (eglot-managed-p))
             (tacet--show-secrets
              (plist-get answer :data)
              (plist-get (eglot--server-capable :semanticTokensProvider :legend) :tokenModifiers)
              (lambda (line column)
                (eglot--lsp-position-to-point (list :line line :character column)))))))))))

(defun tacet--ask-lsp-mode-for-secrets ()
  "Ask the server of lsp-mode for the tokens of this buffer, and show secrets."
  (lsp-request-async
   "textDocument/semanticTokens/full"
   (list :textDocument (lsp--text-document-identifier))
   (lambda (answer)
     (let ((legend (lsp-get (lsp--capability :semanticTokensProvider) :legend)))
       (tacet--show-secrets (lsp-get answer :data) (lsp-get legend :tokenModifiers)
                            #'lsp--line-character-to-point)))
   :mode 'tick
   :error-handler #'ignore
   :cancel-token :tacet-secrets))

(defun tacet--ask-for-secrets (&optional buffer)
  "Show the secrets of BUFFER, or of the current one, if a server serves it."
  (when (buffer-live-p (or buffer (current-buffer)))
    (with-current-buffer (or buffer (current-buffer))
      (cond ((and (fboundp 'eglot-managed-p) (eglot-managed-p))
             (tacet--ask-eglot-for-secrets))
            ((bound-and-true-p lsp-managed-mode)
             (tacet--ask-lsp-mode-for-secrets))
            (t (remove-overlays nil nil 'tacet-secret t))))))

(defvar-local tacet--secrets-timer nil
  "What asks for secrets when the text has rested for a while.")

(defun tacet--secrets-later (&rest _)
  "Ask for secrets when the text has rested for a while."
  (when tacet--secrets-timer
    (cancel-timer tacet--secrets-timer))
  (setq tacet--secrets-timer
        (run-with-idle-timer 0.3 nil #'tacet--ask-for-secrets (current-buffer))))

(define-minor-mode tacet-secrets-mode
  "Show which names depend on a secret."
  :group 'tacet
  (dolist (hook '((after-change-functions . tacet--secrets-later)
                  (eglot-managed-mode-hook . tacet--ask-for-secrets)
                  (lsp-managed-mode-hook . tacet--ask-for-secrets)))
    (if tacet-secrets-mode
        (add-hook (car hook) (cdr hook) nil t)
      (remove-hook (car hook) (cdr hook) t)))
  (remove-overlays nil nil 'tacet-secret t)
  (when tacet-secrets-mode
    (tacet--ask-for-secrets)))

(provide 'tacet-secrets)
;;; tacet-secrets.el ends here
