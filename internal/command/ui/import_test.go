package ui_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// program is a program in place of landbridge, which notes its arguments and what it reads.
func program(t *testing.T, script string) (p *ui.Program, noted func() string) {
	t.Helper()
	dir := t.TempDir()
	path, notes := filepath.Join(dir, "landbridge"), filepath.Join(dir, "notes")
	content := "#!/bin/sh\necho \"$*\" >> " + notes + "\n" + script
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	return &ui.Program{Path: path, Flags: []string{"--context=it's mine"}}, func() string {
		b, err := os.ReadFile(notes)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

const found = `{"objects":[
{"type":"cloud_server","apiVersion":"cloud.landbridge.io/v1alpha1","kind":"Server","displayName":"<b>web</b>","identity":{"id":9007199254740993,"zone":"a"},"identityVersion":0,"managedBy":[]},
{"type":"cloud_server","apiVersion":"cloud.landbridge.io/v1alpha1","kind":"Server","displayName":"db","identity":{"id":"i-2","zone":"b"},"identityVersion":0,"managedBy":[{"kind":"Server","namespace":"team-a","name":"db"}]}],"incomplete":["cloud_server"]}`

const manifest = `apiVersion: cloud.landbridge.io/v1alpha1
kind: Server
metadata: {name: web}
---
# The password cannot be read.
apiVersion: cloud.landbridge.io/v1alpha1
kind: Server
metadata: {name: db}
spec: {managementPolicies: ["Observe"]}
`

// post sends a form as a browser does.
func post(s *ui.Server, path string, form url.Values) *httptest.ResponseRecorder {
	form.Set("form", s.Secrets().Form)
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Host = address
	for k, v := range map[string]string{
		"Cookie": "landbridge-4000=" + s.Secrets().Session, "Origin": "http://" + address,
		"Content-Type": "application/x-www-form-urlencoded",
	} {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	s.Handler(address).ServeHTTP(w, r)
	return w
}

// TestImport checks that the view lists what exists, and makes manifests of what is selected.
func TestImport(t *testing.T) {
	x := index(objects()...)
	x.SetType(ui.Served{Provider: "cloud", Type: "cloud_server", Kind: "Server"})
	s := ui.NewOf(x, now)
	p, noted := program(t, "case $1 in\ndiscover) cat <<'EOF'\n"+found+"\nEOF\n;;\nimport) cat >> "+
		"$0.stdin; cat <<'EOF'\n"+manifest+"EOF\necho '2 resources written.' >&2; exit 2;;\nesac\n")
	s.Runs(p)
	w := get(s, "/import?type=cloud_server")
	golden.Check(t, "import.html", w.Body.Bytes())
	golden.Check(t, "import.json", get(s, "/api/v1/import?type=cloud_server").Body.Bytes())
	if strings.Contains(w.Body.String(), "hx-get") {
		t.Error("the view is loaded again whenever the cluster changes, and lists the objects each time")
	}
	one := `{"type":"cloud_server","apiVersion":"cloud.landbridge.io/v1alpha1","kind":"Server","identity":{"id":9007199254740993,"zone":"a"},"identityVersion":0,"managedBy":[]}`
	form := url.Values{"type": {"cloud_server"}, "namespace": {"team-a"}, "object": {one, one}}
	w = post(s, "/import/manifests", form)
	for _, want := range []string{
		"1 of 2 objects are adopted without a change", "1 resource only observes its object", "kind: Server",
		"2 resources written.", "| landbridge import --objects - --namespace=team-a",
	} {
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("status %d, lacks %q:\n%s", w.Code, want, w.Body)
		}
	}
	form.Set("download", "1")
	w = post(s, "/import/manifests", form)
	if w.Body.String() != manifest || w.Header().Get("Content-Type") != "application/yaml" {
		t.Errorf("the download is %s:\n%s", w.Header().Get("Content-Type"), w.Body)
	}
	want := strings.Repeat("discover cloud_server -o json --context=it's mine\n", 2) +
		strings.Repeat("import --objects - --namespace=team-a --context=it's mine\n", 2)
	if diff := cmp.Diff(want, noted()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	read, err := os.ReadFile(p.Path + ".stdin")
	if want := strings.Repeat(`{"objects":[`+one+","+one+"]}", 2); err != nil || string(read) != want {
		t.Errorf("the command has read %s, %v", read, err)
	}
}

// TestImportRefused checks what the view says where there is nothing to import.
func TestImportRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		script, path string
		form         url.Values
		want         string
	}{
		"a type that is a flag":       {path: "/import?type=--kubeconfig%3D/x", want: "no name of a resource type"},
		"a configuration that is two": {path: "/import?type=cloud_x&configuration=a+b", want: "is no name"},
		"a pattern":                   {path: "/import?type=*", want: "no name of a resource type"},
		"the command fails":           {script: "echo 'Error: no such type' >&2; exit 1", path: "/import?type=cloud_x", want: "no such type"},
		"the command prints no JSON":  {script: "echo x", path: "/import?type=cloud_x", want: "cannot be read"},
		"not listable": {
			script: `echo '{"objects":[],"notListable":["cloud_x"]}'`, path: "/import?type=cloud_x",
			want: "cannot list cloud_x",
		},
		"nothing is selected":         {form: url.Values{}, want: "no object is selected"},
		"what is selected is no JSON": {form: url.Values{"object": {"x"}}, want: "names no object"},
		"the import fails":            {script: "echo 'Error: refused' >&2; exit 1", form: url.Values{"object": {"{}"}}, want: "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			s := ui.NewOf(index(), now)
			p, _ := program(t, tc.script)
			s.Runs(p)
			w := httptest.NewRecorder()
			if tc.form != nil {
				w = post(s, "/import/manifests", tc.form)
			} else {
				w = get(s, tc.path)
			}
			if w.Code != 200 || !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("status %d, lacks %q:\n%s", w.Code, tc.want, w.Body)
			}
		})
	}
	s := ui.NewOf(index(), now)
	if w := get(s, "/import?type=cloud_x"); !strings.Contains(w.Body.String(), "Run it on your machine") {
		t.Errorf("without a program: %s", w.Body)
	}
}

// TestUpgradePlan checks that the plan of a provider is shown when it is asked for.
func TestUpgradePlan(t *testing.T) {
	s := ui.NewOf(index(objects()...), now)
	p, noted := program(t, `echo '{"providers":[{"provider":"cloud","source":"x/cloud","newer":["9.1.0"],"changelog":"https://example.com/<x>","deprecated":[{"resourceType":"cloud_server","count":7,"path":"size","namespaces":{}}],"notes":["A note."]}]}'`)
	s.Runs(p)
	w := get(s, "/upgrades?plan=cloud")
	for _, want := range []string{"The newest version is 9.1.0.", "https://example.com/&lt;x&gt;", "7 of cloud_server", "A note."} {
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("status %d, lacks %q:\n%s", w.Code, want, w.Body)
		}
	}
	if want := "upgrade plan cloud -o json --context=it's mine\n"; noted() != want {
		t.Errorf("the command is %q, want %q", noted(), want)
	}
	if w := get(s, "/upgrades?plan=none"); w.Code != 200 || noted() != "upgrade plan cloud -o json --context=it's mine\n" {
		t.Errorf("a plan of what does not exist: %d, %q", w.Code, noted())
	}
}
