package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/test/bench/figure"
)

// crdGroups is the number of API groups that have all kinds of hcloud.
const crdGroups = 8

// crdCosts measures what CRDs cost the API server: those of hcloud, in several groups. internal/crd
// estimates costs by these figures.
func crdCosts(ctx context.Context, r *figure.Report, bin string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := start(ctx, bin, settings{poll: time.Minute})
	if err != nil {
		return err
	}
	defer c.stop()
	programs, err := filepath.Glob(filepath.Join(bin, "providers", "*", "hetznercloud", "hcloud", "*", "*", "terraform-provider-hcloud_*"))
	if err != nil || len(programs) != 1 {
		return fmt.Errorf("%d providers found, not one: %w", len(programs), err)
	}
	cmd := command(filepath.Join(bin, "landbridge"), "crds", programs[0], "--provider-config=false")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var all []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(out, 1<<16); ; {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(&u.Object)
		if err == io.EOF { //nolint:errorlint // the decoder returns it as it is
			break
		}
		if err != nil {
			return err
		}
		all = append(all, u)
	}
	if err := cmd.Wait(); err != nil {
		return err
	}
	before, err := c.settled(ctx)
	if err != nil {
		return err
	}
	size, count := 0, 0
	groups := map[string]string{} // and a kind that was created last
	for i := range crdGroups {
		for _, d := range all {
			d := d.DeepCopy()
			group := fmt.Sprintf("hcloud-%d.example.org", i)
			plural, _, _ := unstructured.NestedString(d.Object, "spec", "names", "plural")
			groups[group], _, _ = unstructured.NestedString(d.Object, "spec", "names", "kind")
			if err := unstructured.SetNestedField(d.Object, group, "spec", "group"); err != nil {
				return err
			}
			d.SetName(plural + "." + group)
			raw, err := d.MarshalJSON()
			if err != nil {
				return err
			}
			size, count = size+len(raw), count+1
			if _, err := c.client.Resource(crds).Create(ctx, d, createNow); err != nil {
				return err
			}
		}
	}
	if err := c.until(ctx, 5*time.Minute, func() (bool, error) {
		time.Sleep(time.Second)
		list, err := c.client.Resource(crds).List(ctx, listAll)
		if err != nil {
			return false, err
		}
		established := 0
		for i := range list.Items {
			if _, ours := groups[list.Items[i].Object["spec"].(map[string]any)["group"].(string)]; ours &&
				objecttest.IsTrue(&list.Items[i], "Established") {
				established++
			}
		}
		return established == count, nil
	}); err != nil {
		return err
	}
	openAPI := 0
	for group := range groups {
		n, err := c.openAPI(ctx, group, len(all))
		if err != nil {
			return err
		}
		openAPI += n
	}
	after, err := c.settled(ctx)
	if err != nil {
		return err
	}
	raw, err := command(filepath.Join(bin, "landbridge"), "provider", "inspect", programs[0], "--cost", "-o", "json").Output()
	if err != nil {
		return err
	}
	var inspected struct {
		Cost struct{ Bytes, Memory, OpenAPI float64 }
	}
	if err := json.Unmarshal(raw, &inspected); err != nil {
		return err
	}
	each, estimate := float64(count)*1024, inspected.Cost
	r.Add(figure.Figure{Name: "crds: CRDs", Value: float64(count), Unit: "CRDs"})
	r.Add(figure.Figure{Name: "crds: one CRD, as JSON", Value: float64(size) / each, Unit: "KiB"})
	for _, x := range []struct {
		what                string
		measured, estimated float64
	}{
		{"memory of the API server for a CRD", (after - before) * (1 << 20) / each, estimate.Memory / estimate.Bytes * float64(size) / each},
		{"OpenAPI v3 for a CRD", float64(openAPI) / each, estimate.OpenAPI / estimate.Bytes * float64(size) / each},
	} {
		estimated := "crds: " + x.what + ", as landbridge provider inspect --cost estimates it"
		r.Add(figure.Figure{Name: estimated, Value: x.estimated, Unit: "KiB"})
		r.Ratio(figure.Figure{Name: "crds: " + x.what, Value: x.measured, Unit: "KiB", MaxRatio: 1.3}, estimated)
	}
	return nil
}

// settled returns the least memory of the API server within half a minute, in MiB.
func (c *cluster) settled(ctx context.Context) (least float64, _ error) {
	for range 30 {
		m, err := anonymous(c.apiserver.Process.Pid)
		if err != nil || ctx.Err() != nil {
			return 0, err
		}
		if least == 0 || m < least {
			least = m
		}
		time.Sleep(time.Second)
	}
	return least, nil
}

// openAPI returns the size of a group's OpenAPI v3, as soon as it has a number of kinds.
func (c *cluster) openAPI(ctx context.Context, group string, kinds int) (size int, _ error) {
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return 0, err
	}
	return size, c.until(ctx, 5*time.Minute, func() (bool, error) {
		time.Sleep(100 * time.Millisecond)
		req, err := newRequest(ctx, c.config.Host+"/openapi/v3/apis/"+group+"/v1alpha1")
		if err != nil {
			return false, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		var document struct {
			Components struct{ Schemas map[string]any }
		}
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || yaml.Unmarshal(raw, &document) != nil {
			return false, err
		}
		served := 0
		for _, s := range document.Components.Schemas {
			if s, ok := s.(map[string]any); ok && s["x-kubernetes-group-version-kind"] != nil && s["properties"].(map[string]any)["spec"] != nil {
				served++
			}
		}
		size = len(raw)
		return served == kinds, nil
	})
}
