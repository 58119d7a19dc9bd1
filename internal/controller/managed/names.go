package managed

import (
	"fmt"
	"strings"

	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// nameOf returns how messages of a resource call another one: names are for those who may read
// them.
func nameOf(by store.Key, namespace string) string {
	if by.Namespace != namespace {
		return fmt.Sprintf("a %s in namespace %s", by.Kind, by.Namespace)
	}
	return fmt.Sprintf("%s %s", by.Kind, cache.ObjectName{Namespace: by.Namespace, Name: by.Name})
}

// maxNamed bounds the resources that a message names.
const maxNamed = 8

// bounded returns the first names, and how many more there are.
func bounded(names []string) []string {
	if more := len(names) - maxNamed; more > 0 {
		return append(names[:maxNamed:maxNamed], fmt.Sprintf("%d more", more))
	}
	return names
}

func listed(names []string) string { return strings.Join(bounded(names), ", ") }
