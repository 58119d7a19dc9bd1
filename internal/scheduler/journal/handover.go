package journal

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// HandOver is the journal of the Move of an object to another resource.
type HandOver struct {
	To  *store.Key `json:"to"`
	UID types.UID  `json:"uid"`
}

// HandOverOf returns the journal of a Move to another resource; nil if it is another operation.
func HandOverOf(op *instance.Operation) *HandOver {
	var out HandOver
	if op == nil || op.Kind != instance.Move || json.Unmarshal(op.Journal, &out) != nil || out.To == nil {
		return nil
	}
	return &out
}

// MoveID is a value of Tokens.MovedFrom.
func MoveID(op *instance.Operation, from store.Key) string {
	return strings.Join([]string{op.ID, from.Group, from.Kind, from.Namespace, from.Name}, "/")
}

// ParseMove returns the id of a move, and the resource that had the object.
func ParseMove(id string) (op string, from store.Key) {
	parts := strings.SplitN(id, "/", 5)
	if len(parts) < 5 {
		return id, store.Key{}
	}
	return parts[0], store.Key{Group: parts[1], Kind: parts[2], Namespace: parts[3], Name: parts[4]}
}
