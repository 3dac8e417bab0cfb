package tree_sitter_tacet_test

import (
	"testing"

	tree_sitter "github.com/smacker/go-tree-sitter"
	"github.com/tree-sitter/tree-sitter-tacet"
)

func TestCanLoadGrammar(t *testing.T) {
	language := tree_sitter.NewLanguage(tree_sitter_tacet.Language())
	if language == nil {
		t.Errorf("Error loading Tacet grammar")
	}
}
