package module

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Rule is a validation of a variable that can be checked when an instance is written.
type Rule struct {
	// CEL is true of values that pass; self is the value. Message describes what is wrong with
	// others.
	CEL, Message string
	// Patterns is the length of the patterns in it, which decide its costs.
	Patterns int
}

var validationFields = attributes("condition", "error_message")

// notASCII is a pattern for texts whose length in Terraform may differ from that in CEL: Terraform
// counts what people take for characters, CEL code points.
const notASCII = `[^\x00-\x7f]`

// rule translates a validation of a variable. ok is false if it is not constant and simple: then it
// is checked when the module is planned.
func (r *reader) rule(name string, v *Variable, b *hcl.Block) (_ Rule, ok bool) {
	attrs := r.content(b.Body, validationFields).Attributes
	condition, message := attrs["condition"], attrs["error_message"]
	if condition == nil || message == nil || v.Sensitive || !v.Type.IsPrimitiveType() {
		return Rule{}, false
	}
	text, diags := message.Expr.Value(nil)
	e, native := condition.Expr.(hclsyntax.Expression)
	if diags.HasErrors() || !native || text.IsNull() || text.Type() != cty.String || text.AsString() == "" {
		return Rule{}, false
	}
	t := translation{variable: name, of: v.Type}
	cel, kind := t.expression(e)
	if kind != cty.Bool {
		return Rule{}, false
	}
	if t.length {
		cel = "self.matches(" + celText(notASCII) + ") || (" + cel + ")"
		t.patterns += len(notASCII)
	}
	return Rule{CEL: cel, Message: text.AsString(), Patterns: t.patterns}, true
}

// translation translates an expression to CEL.
type translation struct {
	variable string
	of       cty.Type
	// length is set when the length of the value is used.
	length bool
	// patterns is the length of the patterns.
	patterns int
}

// celOperators are the operators that mean the same in CEL.
var celOperators = map[*hclsyntax.Operation]string{
	hclsyntax.OpLogicalAnd: "&&", hclsyntax.OpLogicalOr: "||", hclsyntax.OpEqual: "==", hclsyntax.OpNotEqual: "!=",
	hclsyntax.OpGreaterThan: ">", hclsyntax.OpGreaterThanOrEqual: ">=", hclsyntax.OpLessThan: "<", hclsyntax.OpLessThanOrEqual: "<=",
}

// expression returns an expression in CEL and its type; NilType if it cannot be translated.
func (t *translation) expression(e hclsyntax.Expression) (string, cty.Type) {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		cel, kind := t.expression(e.Expression)
		return "(" + cel + ")", kind
	case *hclsyntax.ScopeTraversalExpr:
		if step, ok := traversalStep(e.Traversal); ok && e.Traversal.RootName() == "var" && len(e.Traversal) == 2 && step == t.variable {
			return "self", t.of
		}
	case *hclsyntax.UnaryOpExpr:
		if cel, kind := t.expression(e.Val); e.Op == hclsyntax.OpLogicalNot && kind == cty.Bool {
			return "!(" + cel + ")", cty.Bool
		}
	case *hclsyntax.BinaryOpExpr:
		return t.operation(e)
	case *hclsyntax.FunctionCallExpr:
		if !e.ExpandFinal {
			return t.call(e)
		}
	}
	return t.constant(e)
}

func traversalStep(t hcl.Traversal) (string, bool) {
	if len(t) < 2 {
		return "", false
	}
	step, ok := t[1].(hcl.TraverseAttr)
	return step.Name, ok
}

// constant returns a literal. Numbers are doubles, as the API server has them.
func (t *translation) constant(e hclsyntax.Expression) (string, cty.Type) {
	v, diags := e.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || len(e.Variables()) > 0 {
		return "", cty.NilType
	}
	switch v.Type() {
	case cty.String:
		return celText(v.AsString()), cty.String
	case cty.Bool:
		return strconv.FormatBool(v.True()), cty.Bool
	case cty.Number:
		f, accuracy := v.AsBigFloat().Float64()
		if accuracy != big.Exact {
			return "", cty.NilType
		}
		text := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text, cty.Number
	}
	return "", cty.NilType
}

func (t *translation) operation(e *hclsyntax.BinaryOpExpr) (string, cty.Type) {
	operator, ok := celOperators[e.Op]
	if t.comparesNull(e) {
		return strconv.FormatBool(e.Op == hclsyntax.OpNotEqual), cty.Bool // rules are not evaluated for null
	}
	left, leftKind := t.expression(e.LHS)
	right, rightKind := t.expression(e.RHS)
	if !ok || leftKind == cty.NilType || leftKind != rightKind {
		return "", cty.NilType
	}
	logical := e.Op == hclsyntax.OpLogicalAnd || e.Op == hclsyntax.OpLogicalOr
	if logical != (leftKind == cty.Bool) && e.Op != hclsyntax.OpEqual && e.Op != hclsyntax.OpNotEqual {
		return "", cty.NilType
	}
	if leftKind == cty.String && e.Op != hclsyntax.OpEqual && e.Op != hclsyntax.OpNotEqual {
		return "", cty.NilType
	}
	return "(" + left + ") " + operator + " (" + right + ")", cty.Bool
}

// comparesNull reports whether an operation is var.x == null or var.x != null.
func (t *translation) comparesNull(e *hclsyntax.BinaryOpExpr) bool {
	if e.Op != hclsyntax.OpEqual && e.Op != hclsyntax.OpNotEqual {
		return false
	}
	self, _ := t.expression(e.LHS)
	literal, ok := e.RHS.(*hclsyntax.LiteralValueExpr)
	return self == "self" && ok && literal.Val.IsNull()
}

func (t *translation) call(e *hclsyntax.FunctionCallExpr) (string, cty.Type) {
	switch {
	case e.Name == "length" && len(e.Args) == 1:
		if cel, kind := t.expression(e.Args[0]); kind == cty.String && cel == "self" {
			t.length = true
			return "double(size(self))", cty.Number
		}
	case e.Name == "contains" && len(e.Args) == 2:
		return t.contains(e)
	case e.Name == "can" && len(e.Args) == 1:
		if call, ok := e.Args[0].(*hclsyntax.FunctionCallExpr); ok && call.Name == "regex" && len(call.Args) == 2 {
			return t.matches(call)
		}
	}
	return "", cty.NilType
}

// matches translates can(regex("…", var.x)). Both languages have the same patterns.
func (t *translation) matches(call *hclsyntax.FunctionCallExpr) (string, cty.Type) {
	pattern, diags := call.Args[0].Value(nil)
	self, of := t.expression(call.Args[1])
	if diags.HasErrors() || pattern.IsNull() || pattern.Type() != cty.String || self != "self" || of != cty.String {
		return "", cty.NilType
	}
	if _, err := regexp.Compile(pattern.AsString()); err != nil {
		return "", cty.NilType // the program reports it
	}
	t.patterns += len(pattern.AsString())
	return "self.matches(" + celText(pattern.AsString()) + ")", cty.Bool
}

// contains translates contains(["a", "b"], var.x).
func (t *translation) contains(e *hclsyntax.FunctionCallExpr) (string, cty.Type) {
	list, ok := e.Args[0].(*hclsyntax.TupleConsExpr)
	self, of := t.expression(e.Args[1])
	if !ok || self != "self" || len(list.Exprs) > 100 {
		return "", cty.NilType
	}
	var out []string
	for _, x := range list.Exprs {
		cel, kind := t.constant(x)
		if kind != of {
			return "", cty.NilType
		}
		out = append(out, cel)
	}
	return "self in [" + strings.Join(out, ", ") + "]", cty.Bool
}

// celText returns a text as a literal of CEL.
func celText(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
