package module_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// A file that is exchanged for a link after the links of its folder were looked at is not read.
func TestExchangedFileOfAModule(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("s3cr3t"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		allow    []module.Permission
		exchange bool
		want     map[string]string
		refused  bool
	}{
		"not exchanged": {want: map[string]string{"a.tf": "a", "b.tf": "b", "c.tf": "b"}},
		"exchanged":     {exchange: true, want: map[string]string{"a.tf": "a"}, refused: true},
		"exchanged, where links may lead there": {exchange: true, allow: []module.Permission{module.Files},
			want: map[string]string{"a.tf": "a", "b.tf": "s3cr3t", "c.tf": "s3cr3t"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b := filepath.Join(dir, "b.tf")
			if err := errors.Join(os.WriteFile(filepath.Join(dir, "a.tf"), []byte("a"), 0o600),
				os.WriteFile(b, []byte("b"), 0o600), os.Symlink(b, filepath.Join(dir, "c.tf"))); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			err := module.Source{Directory: dir, Allow: test.allow}.Walk(func(name string, content []byte) error {
				got[name] = string(content)
				if name != "a.tf" || !test.exchange {
					return nil
				}
				return errors.Join(os.Remove(b), os.Symlink(outside, b))
			})
			if (err != nil) != test.refused {
				t.Errorf("the error: %v", err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("what was read (-want +got):\n%s", diff)
			}
		})
	}
}
