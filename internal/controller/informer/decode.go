package informer

import (
	"bufio"
	"bytes"
	encodingjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/json"
)

const (
	// longestEvent bounds an event of a watch, in bytes.
	longestEvent = 16 << 20
	// keptBuffer is the size of a buffer, in bytes, that is kept for the next event.
	keptBuffer = 1 << 20
)

// decoder decodes the events of a watch in JSON, whose objects have no managed fields. It
// implements watch.Decoder.
type decoder struct {
	body   io.Closer
	lines  *bufio.Reader
	buffer []byte
	added  func(*unstructured.Unstructured)
}

// newDecoder returns a decoder that calls added with each existing or new object, which must not be
// changed.
func newDecoder(body io.ReadCloser, added func(*unstructured.Unstructured)) *decoder {
	return &decoder{body: body, lines: bufio.NewReaderSize(body, 16<<10), added: added}
}

// Decode implements watch.Decoder.
func (d *decoder) Decode() (watch.EventType, runtime.Object, error) {
	out, err := d.next()
	if err != nil {
		return "", nil, err
	}
	u, ok := out.Object.Object.(*unstructured.Unstructured)
	if ok {
		u.SetManagedFields(nil)
	}
	if ok && out.Type == string(watch.Added) {
		d.added(u)
	}
	return watch.EventType(out.Type), out.Object.Object, nil
}

// Close implements watch.Decoder.
func (d *decoder) Close() { _ = d.body.Close() }

// next reads an event. The API server writes each as a line; an event of several lines is read as
// well. So the end of an event is not searched for by parsing it.
func (d *decoder) next() (*metav1.WatchEvent, error) {
	d.buffer = d.buffer[:0]
	if cap(d.buffer) > keptBuffer {
		d.buffer = nil
	}
	for {
		line, readErr := d.lines.ReadSlice('\n')
		d.buffer = append(d.buffer, line...)
		switch {
		case len(d.buffer) > longestEvent:
			return nil, fmt.Errorf("an event of a watch is longer than %d MiB", longestEvent>>20)
		case errors.Is(readErr, bufio.ErrBufferFull):
			continue
		case len(bytes.TrimSpace(d.buffer)) == 0:
			if readErr != nil {
				return nil, readErr
			}
			continue
		}
		out, err := decodeEvent(d.buffer)
		switch {
		case err == nil:
			return out, nil
		case readErr != nil && !errors.Is(readErr, io.EOF):
			return nil, readErr
		case encodingjson.Valid(d.buffer):
			return nil, err
		case readErr != nil:
			return nil, io.ErrUnexpectedEOF
		}
		// It goes on in the next line.
	}
}

// decodeEvent decodes one event, whose object has no managed fields.
func decodeEvent(data []byte) (*metav1.WatchEvent, error) {
	out := &metav1.WatchEvent{}
	var e event
	var err error
	if others, failed := json.UnmarshalStrict(data, &e, json.DisallowUnknownFields); failed == nil && len(others) == 0 && e.Object.Kind != "" {
		out.Type, out.Object.Object = e.Type, e.Object.unstructured()
	} else if err = json.UnmarshalCaseSensitivePreserveInts(data, out); err == nil {
		out.Object.Object, err = runtime.Decode(unstructured.UnstructuredJSONScheme, out.Object.Raw)
	}
	if err != nil {
		return nil, err
	}
	switch watch.EventType(out.Type) {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error:
		return out, nil
	default:
		return nil, fmt.Errorf("unknown type of an event of a watch: %q", out.Type)
	}
}

// event is an event of a watch, as far as it is decoded in one step. Its object has no fields but
// those of custom resources.
type event struct {
	Type   string `json:"type"`
	Object object `json:"object"`
}

type object struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       any      `json:"spec"`
	Status     any      `json:"status"`
}

// metadata are the fields of metav1.ObjectMeta. Those that are null are left out, as in objects of
// the API server.
type metadata struct {
	Name                       any     `json:"name"`
	GenerateName               any     `json:"generateName"`
	Namespace                  any     `json:"namespace"`
	SelfLink                   any     `json:"selfLink"`
	UID                        any     `json:"uid"`
	ResourceVersion            any     `json:"resourceVersion"`
	Generation                 any     `json:"generation"`
	CreationTimestamp          any     `json:"creationTimestamp"`
	DeletionTimestamp          any     `json:"deletionTimestamp"`
	DeletionGracePeriodSeconds any     `json:"deletionGracePeriodSeconds"`
	Labels                     any     `json:"labels"`
	Annotations                any     `json:"annotations"`
	OwnerReferences            any     `json:"ownerReferences"`
	Finalizers                 any     `json:"finalizers"`
	ManagedFields              skipped `json:"managedFields"`
}

// skipped is a value that is not decoded.
type skipped struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*skipped) UnmarshalJSON([]byte) error { return nil }

func (o *object) unstructured() *unstructured.Unstructured {
	m := &o.Metadata
	metadata := fields([]field{
		{"name", m.Name}, {"generateName", m.GenerateName}, {"namespace", m.Namespace}, {"selfLink", m.SelfLink}, {"uid", m.UID},
		{"resourceVersion", m.ResourceVersion}, {"generation", m.Generation}, {"creationTimestamp", m.CreationTimestamp},
		{"deletionTimestamp", m.DeletionTimestamp}, {"deletionGracePeriodSeconds", m.DeletionGracePeriodSeconds}, {"labels", m.Labels},
		{"annotations", m.Annotations}, {"ownerReferences", m.OwnerReferences}, {"finalizers", m.Finalizers},
	})
	return &unstructured.Unstructured{Object: fields([]field{
		{"apiVersion", o.APIVersion}, {"kind", o.Kind}, {"metadata", metadata}, {"spec", o.Spec}, {"status", o.Status},
	})}
}

type field struct {
	name  string
	value any
}

// fields returns an object of the fields that are not null.
func fields(all []field) map[string]any {
	all = slices.DeleteFunc(all, func(f field) bool { return f.value == nil })
	out := make(map[string]any, len(all))
	for _, f := range all {
		out[f.name] = f.value
	}
	return out
}
