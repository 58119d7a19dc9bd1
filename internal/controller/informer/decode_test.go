package informer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
	clientwatch "k8s.io/client-go/rest/watch"
	sjson "sigs.k8s.io/json"

	"github.com/landbridge-io/landbridge/internal/controller/informer"
)

func TestDecode(t *testing.T) {
	type result struct {
		Type   watch.EventType
		Object map[string]any
		Failed bool
	}
	for name, x := range map[string]struct {
		in    string
		want  []result
		added []string
	}{
		"several events": {
			in: `{"type":"ADDED","object":{"apiVersion":"x/v1","kind":"X","metadata":{"name":"a","creationTimestamp":null,"managedFields":[{"manager":"m"}]},"spec":{"n":1,"f":1.5,"Spec":null}}}
{"type":"DELETED","object":{"apiVersion":"x/v1","kind":"X","metadata":{"name":"a","labels":{"a":"b"},"ownerReferences":[{"name":"o"}]},"status":{"a":[true]}}}`,
			added: []string{"a"},
			want: []result{
				{
					Type: watch.Added, Object: map[string]any{
						"apiVersion": "x/v1", "kind": "X", "metadata": map[string]any{"name": "a"},
						"spec": map[string]any{"n": int64(1), "f": 1.5, "Spec": nil},
					},
				},
				{
					Type: watch.Deleted, Object: map[string]any{
						"apiVersion": "x/v1", "kind": "X",
						"metadata": map[string]any{
							"name": "a", "labels": map[string]any{"a": "b"},
							"ownerReferences": []any{map[string]any{"name": "o"}},
						}, "status": map[string]any{"a": []any{true}},
					},
				},
			},
		},
		"lines within and between events": {
			in: "\n{\"type\":\"ADDED\",\n \"object\":{\"apiVersion\":\"x/v1\",\"kind\":\"X\",\n\"metadata\":{\"name\":\"a\"}}}\n\n" +
				`{"type":"MODIFIED","object":{"apiVersion":"x/v1","kind":"X","metadata":{"name":"` + strings.Repeat("b", 100_000) + `"}}}` + "\n",
			added: []string{"a"},
			want: []result{
				{Type: watch.Added, Object: map[string]any{"apiVersion": "x/v1", "kind": "X", "metadata": map[string]any{"name": "a"}}},
				{
					Type: watch.Modified, Object: map[string]any{
						"apiVersion": "x/v1", "kind": "X", "metadata": map[string]any{
							"name": strings.Repeat("b", 100_000),
						},
					},
				},
			},
		},
		"bookmark": {
			in: `{"type":"BOOKMARK","object":{"apiVersion":"x/v1","kind":"X","metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}}`,
			want: []result{{
				Type: watch.Bookmark, Object: map[string]any{
					"apiVersion": "x/v1", "kind": "X",
					"metadata": map[string]any{
						"resourceVersion": "5", "annotations": map[string]any{"k8s.io/initial-events-end": "true"},
					},
				},
			}},
		},
		"error": {
			in: `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old","reason":"Expired","code":410}}`,
			want: []result{{Type: watch.Error, Object: map[string]any{
				"apiVersion": "v1", "kind": "Status", "metadata": map[string]any{}, "status": "Failure",
				"message": "too old", "reason": "Expired", "code": int64(410),
			}}},
		},
		"other fields": {
			in: `{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"X","metadata":{"name":"a","new":1},"data":{"a":"b"}}}`,
			want: []result{{
				Type: watch.Modified, Object: map[string]any{
					"apiVersion": "v1", "kind": "X", "metadata": map[string]any{"name": "a", "new": int64(1)},
					"data": map[string]any{"a": "b"},
				},
			}},
		},
		"names in another case": {
			in: `{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"X","Spec":1,"metadata":{"Name":"a"}}}`,
			want: []result{{
				Type: watch.Modified, Object: map[string]any{
					"apiVersion": "v1", "kind": "X", "Spec": int64(1), "metadata": map[string]any{"Name": "a"},
				},
			}},
		},
		"no kind": {in: `{"type":"ADDED","object":{"metadata":{"name":"a"}}}`, want: []result{{Failed: true}}},
		"no type": {in: `{"object":{"apiVersion":"v1","kind":"X","metadata":{"name":"a"}}}`, want: []result{{Failed: true}}},
		"unknown type": {
			in:   `{"type":"X","object":{"apiVersion":"v1","kind":"X","metadata":{"name":"a"}}}`,
			want: []result{{Failed: true}},
		},
		"an object that is no more": {in: `{"type":"ADDED","object":{"apiVersion":"v1",`, want: []result{{Failed: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			var added []string
			d := informer.NewDecoder(io.NopCloser(strings.NewReader(x.in)), func(u *unstructured.Unstructured) {
				added = append(added, u.GetName())
			})
			defer d.Close()
			var got []result
			for {
				kind, o, err := d.Decode()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					got = append(got, result{Failed: true})
					break
				}
				got = append(got, result{Type: kind, Object: o.(*unstructured.Unstructured).Object})
			}
			if diff := cmp.Diff(x.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(x.added, added); diff != "" {
				t.Errorf("added: -want +got:\n%s", diff)
			}
		})
	}
}

// FuzzDecode compares with the decoder of the dynamic client.
func FuzzDecode(f *testing.F) {
	f.Add(watched(1))
	f.Add([]byte(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":410}}`))
	f.Add([]byte(`{"type":"ADDED","object":{"apiVersion":"x/v1","kind":"X","metadata":{"name":null,"labels":{"a":null}},"spec":[1,1.5,1e400],"status":null}}`))
	f.Add([]byte(`{"type":"ADDED","object":{"apiVersion":"x/v1","kind":"X","metadata":"","data":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var whole map[string]any
		if strict, err := sjson.UnmarshalStrict(data, &whole, sjson.DisallowDuplicateFields); err != nil || len(strict) > 0 {
			return // the API server does not repeat fields
		}
		read := func() io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }
		wantType, want, wantErr := usual(read()).Decode()
		gotType, got, err := informer.NewDecoder(read(), func(*unstructured.Unstructured) {}).Decode()
		if wantErr != nil || err != nil {
			if (wantErr == nil) != (err == nil) {
				t.Fatalf("want error %v, got %v", wantErr, err)
			}
			return
		}
		if wantType != gotType {
			t.Fatalf("want %s, got %s", wantType, gotType)
		}
		w, ok := want.(*unstructured.Unstructured)
		if !ok {
			return // a list
		}
		g := got.(*unstructured.Unstructured)
		for _, o := range []map[string]any{w.Object, g.Object} {
			normal(o)
		}
		if diff := cmp.Diff(w.Object, g.Object); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// normal removes what a decoder may leave out.
func normal(o map[string]any) {
	if m, ok := o["metadata"].(map[string]any); ok {
		delete(m, "managedFields")
		for key, v := range m {
			if v == nil {
				delete(m, key)
			}
		}
		if len(m) == 0 {
			delete(o, "metadata")
		}
	}
	for key, v := range o {
		if v == nil || v == "" {
			delete(o, key)
		}
	}
}

// usual returns the decoder of the dynamic client.
func usual(body io.ReadCloser) watch.Decoder {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	events := kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{})
	return clientwatch.NewDecoder(streaming.NewDecoder(kjson.Framer.NewFrameReader(body), events), unstructured.UnstructuredJSONScheme)
}

// watched returns an event of a resource, whose managed fields are those of two writers.
func watched(n int) []byte {
	u := resource(n)
	var owned func(v any) any
	owned = func(v any) any {
		out := map[string]any{}
		if m, ok := v.(map[string]any); ok {
			for key, e := range m {
				out["f:"+key] = owned(e)
			}
		}
		return out
	}
	var managed []any
	for _, part := range []string{"spec", "status"} {
		managed = append(managed, map[string]any{
			"manager": "landbridge", "operation": "Update", "time": "2026-01-02T03:04:05Z", "apiVersion": "test.landbridge.io/v1alpha1",
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:" + part: owned(u.Object[part]), "f:metadata": owned(u.Object["metadata"])},
		})
	}
	u.Object["metadata"].(map[string]any)["managedFields"] = managed
	out, err := json.Marshal(map[string]any{"type": "ADDED", "object": u.Object})
	if err != nil {
		panic(err)
	}
	return append(out, '\n')
}

// endless is a watch of the same events for ever.
type endless struct {
	events []byte
	rest   bytes.Reader
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest.Len() == 0 {
		e.rest.Reset(e.events)
	}
	return e.rest.Read(p)
}

func (*endless) Close() error { return nil }

// BenchmarkDecode compares with the dynamic client.
func BenchmarkDecode(b *testing.B) {
	for name, decoder := range map[string]func(io.ReadCloser) watch.Decoder{
		"usual": usual,
		"ours": func(body io.ReadCloser) watch.Decoder {
			return informer.NewDecoder(body, func(*unstructured.Unstructured) {})
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			d := decoder(&endless{events: watched(1)})
			for b.Loop() {
				if _, _, err := d.Decode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
