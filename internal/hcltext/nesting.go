package hcltext

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// closing are the tokens that end what others begin.
var closing = map[hclsyntax.TokenType]hclsyntax.TokenType{
	hclsyntax.TokenOBrace: hclsyntax.TokenCBrace, hclsyntax.TokenOBrack: hclsyntax.TokenCBrack, hclsyntax.TokenOParen: hclsyntax.TokenCParen,
	hclsyntax.TokenOQuote: hclsyntax.TokenCQuote, hclsyntax.TokenOHeredoc: hclsyntax.TokenCHeredoc,
	hclsyntax.TokenTemplateInterp: hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenTemplateControl: hclsyntax.TokenTemplateSeqEnd,
}

// frame is what a token has begun.
type frame struct {
	begin hclsyntax.TokenType
	// operators is the number of operators for whose operands the parser recurses, and of open
	// template directives.
	operators int
}

// deep returns where the parser would recurse more deeply than MaxNesting.
func deep(tokens hclsyntax.Tokens) (at hcl.Pos, ok bool) {
	frames, operators := []frame{{}}, 0
	operate := func(n int) {
		top := &frames[len(frames)-1]
		n = max(n, -top.operators)
		top.operators += n
		operators += n
	}
	for i, t := range tokens {
		top := frames[len(frames)-1]
		switch t.Type {
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion:
			operate(1)
		case hclsyntax.TokenNewline:
			if top.begin == 0 || top.begin == hclsyntax.TokenOBrace { // elsewhere, an expression goes on
				operate(-top.operators)
			}
		case hclsyntax.TokenComma:
			operate(-top.operators)
		case hclsyntax.TokenTemplateControl:
			operate(directive(tokens[i+1:]))
		}
		if _, begins := closing[t.Type]; begins {
			frames = append(frames, frame{begin: t.Type})
		} else if top.begin != 0 && closing[top.begin] == t.Type {
			operate(-top.operators)
			frames = frames[:len(frames)-1]
		}
		if len(frames)+operators > MaxNesting {
			return t.Range.Start, true
		}
	}
	return hcl.Pos{}, false
}

// directive returns what a template directive adds to the nesting.
func directive(after hclsyntax.Tokens) int {
	if len(after) == 0 {
		return 0
	}
	switch string(after[0].Bytes) {
	case "if", "for":
		return 1
	case "endif", "endfor":
		return -1
	}
	return 0
}
