package ui_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

//go:embed axe/axe.min.js
var axe string

// violation is what axe-core finds.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML string `json:"html"`
	} `json:"nodes"`
}

// TestViews tries all views in both themes, and on narrow screens: axe-core finds nothing, nothing
// is cut off, and nothing is blank.
func TestViews(t *testing.T) {
	c := newCluster(t)
	namespace := c.namespace(t)
	waits := c.planned(t, namespace, "planned")
	u := record(namespace, "above", "")
	u.Object["spec"].(m)["references"] = []any{m{
		"to": "forProvider.value", "from": m{"kind": "Record", "name": "planned", "fieldPath": "status.atProvider.id"},
	}}
	c.MustCreate(t, u)
	c.WaitFor(t, u, "waiting", func() bool { return !objecttest.IsTrue(u, "Synced") })
	c.cloud.Make(t, "things", m{"name": namespace + "-unmanaged", "region": "eu-central-1", "size": 2})
	b := open(t, c.server.Config, namespace)
	for name, at := range map[string]string{
		"attention": "/", "estate": "/estate", "plans": "/plans", "providers": "/providers", "upgrades": "/upgrades",
		"upgrade plan": "/upgrades?plan=cloud", "figures": "/figures",
		"import": "/import", "objects": "/import?type=examplecloud_thing&configuration=ProviderConfig%2Fdefault&namespace=" + namespace,
		"search":   "/search?q=planned",
		"resource": path("resources", waits), "dependencies": path("dependencies", waits),
		"error": path("resources", record(namespace, "none", "")),
	} {
		for _, dark := range []bool{false, true} {
			for _, width := range []int64{1280, 360} {
				t.Run(fmt.Sprintf("%s/dark=%t/%d", name, dark, width), func(t *testing.T) { b.try(t, name, at, dark, width) })
			}
		}
	}
}

// try tries a view.
func (b *browser) try(t *testing.T, name, at string, dark bool, width int64) {
	flow := b.t
	b.t = t
	defer func() { b.t = flow }()
	results.views++
	t.Cleanup(func() {
		if t.Failed() {
			results.failed++
		}
	})
	b.theme(dark, width)
	b.visit(at)
	b.examine(t)
	below := evaluate[float64](b, `document.querySelector("header").getBoundingClientRect().bottom + scrollY`)
	picture, shot := b.picture(t)
	if n := colours(picture, int(below)); n < 3 {
		t.Errorf("the view is blank: it has %d colours", n)
	}
	if dir := os.Getenv("UI_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%t-%d.png", name, dark, width)), shot, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// picture returns a picture of the whole page, and its encoding.
func (b *browser) picture(t *testing.T) (image.Image, []byte) {
	t.Helper()
	var shot []byte
	b.run(chromedp.FullScreenshot(&shot, 100))
	out, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	return out, shot
}

// examine fails the test for each violation that axe-core finds in the page as it is, and if the
// page is wider than the screen.
func (b *browser) examine(t *testing.T) {
	t.Helper()
	b.run(chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`, nil))
	b.run(chromedp.Evaluate(axe, nil))
	raw := evaluate[string](b, `axe.run().then(r => JSON.stringify(r.violations))`)
	var found []violation
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		results.violations++
		t.Errorf("%s: %s: %s", v.ID, v.Help, v.Nodes[0].HTML)
	}
	if over := evaluate[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
		t.Errorf("the view is %d pixels wider than the screen", over)
	}
}

// colours returns the number of colours of a picture below the header of its page.
func colours(p image.Image, header int) int {
	all := map[[3]uint32]bool{}
	for y := p.Bounds().Min.Y + header; y < p.Bounds().Max.Y; y++ {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			all[[3]uint32{r, g, b}] = true
		}
	}
	return len(all)
}
