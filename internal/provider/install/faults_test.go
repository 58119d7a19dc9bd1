package install_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
)

const (
	networkMirror = `provider_installation {
	network_mirror { url = "https://REGISTRY/mirror/" }
}`
	ociMirror = `provider_installation {
	oci_mirror { repository_template = "REGISTRY/providers/${namespace}/${type}" }
}`
)

// breaking makes requests fail whose path has a suffix.
func breaking(r *registrytest.Registry, suffix string, with http.HandlerFunc) {
	r.Break = func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.HasSuffix(req.URL.Path, suffix) {
			return false
		}
		with(w, req)
		return true
	}
}

// once makes the first request fail whose path has a suffix.
func once(r *registrytest.Registry, suffix string, with http.HandlerFunc) {
	var done atomic.Bool
	r.Break = func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.HasSuffix(req.URL.Path, suffix) || !done.CompareAndSwap(false, true) {
			return false
		}
		with(w, req)
		return true
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
}

// cut sends a part of what it announces.
func cut(content []byte, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Range") == "" {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content[:n])
		}
		panic(http.ErrAbortHandler)
	}
}

// bomb returns a package with a program of a size that is packed into little. It declares another
// size if declared is not 0.
func bomb(t testing.TB, size int, declared uint32) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "terraform-provider-thing_v1.1.0", Method: zip.Deflate}
	h.SetMode(0o755)
	f, err := w.CreateHeader(h)
	for n := 0; n < size && err == nil; n += 1 << 20 {
		_, err = f.Write(make([]byte, 1<<20))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out := b.Bytes()
	if declared != 0 {
		// The size in the central directory.
		at := bytes.LastIndex(out, []byte("PK\x01\x02"))
		binary.LittleEndian.PutUint32(out[at+24:], declared)
	}
	return out
}

// TestFaults checks that whatever fails between a publisher and this machine is an error that tells
// what to do, or is survived, and that nothing half-installed is used.
func TestFaults(t *testing.T) {
	const file = "thing_1.1.0_" + platform + ".zip"
	for name, c := range map[string]struct {
		installation string
		set          func(*testing.T, world)
		// before installs 1.0.0, and requests the newest with its lock.
		before  bool
		request install.Request
		// want is the reason of the error. Empty: 1.1.0 is installed.
		want install.Reason
		says []string
		// after checks what was requested.
		after func(t *testing.T, requests []string)
	}{
		"wrong checksum": {
			set:  func(_ *testing.T, w world) { breaking(w.Registry, file, text("something else")) },
			want: install.Untrusted, says: []string{"the package of version 1.1.0 has the checksum zh:", "is not installed"},
		},
		"registry contradicts itself": {
			set: func(_ *testing.T, w world) {
				breaking(w.Registry, "SHA256SUMS", text(strings.Repeat("0", 64)+"  terraform-provider-"+file+"\n"))
			},
			want: install.Untrusted, says: []string{"does not agree with itself"},
		},
		"forged checksums": {
			set: func(_ *testing.T, w world) {
				forged := append(w.Sums("acme/thing", "1.1.0"), []byte(strings.Repeat("0", 64)+"  other.zip\n")...)
				breaking(w.Registry, "SHA256SUMS", text(string(forged)))
			},
			want: install.Untrusted, says: []string{"the signature of the checksums is wrong"},
		},
		"signed by an unknown key": {
			set:  func(t *testing.T, w world) { w.Published = []*registrytest.Key{registrytest.NewKey(t, time.Now(), 0)} },
			want: install.Untrusted, says: []string{"signed by none of the keys"},
		},
		"signed by an expired key": {
			set: func(t *testing.T, w world) {
				w.Key = registrytest.NewKey(t, time.Now().Add(-48*time.Hour), 24*time.Hour)
			},
			want: install.Untrusted, says: []string{"after the key had expired"},
		},
		"key has expired since": {
			set: func(t *testing.T, w world) {
				w.Key = registrytest.NewKey(t, time.Now().Add(-48*time.Hour), 24*time.Hour)
				w.Key.SignedAt = time.Now().Add(-36 * time.Hour)
			},
		},
		"signed by a revoked key": {
			set:  func(t *testing.T, w world) { w.Key.Revoke(t) },
			want: install.Untrusted, says: []string{"is revoked"},
		},
		"signed in the future": {
			set:  func(_ *testing.T, w world) { w.Key.SignedAt = time.Now().Add(72 * time.Hour) },
			want: install.Untrusted, says: []string{"made in the future"},
		},
		"signature missing": {
			set:  func(_ *testing.T, w world) { breaking(w.Registry, ".sig", status(http.StatusNotFound)) },
			want: install.Untrusted, says: []string{"signature of the checksums is missing"},
		},
		"signature is no signature": {
			set:  func(_ *testing.T, w world) { breaking(w.Registry, ".sig", text("<html>")) },
			want: install.Untrusted, says: []string{"not an OpenPGP signature"},
		},
		"keys are no keys": {
			set: func(_ *testing.T, w world) {
				breaking(w.Registry, "/download/"+strings.ReplaceAll(platform, "_", "/"),
					text(`{"filename": "a.zip", "download_url": "a.zip", "shasum": "`+strings.Repeat("0", 64)+`",
					"shasums_url": "/files/acme/thing/1.1.0/SHA256SUMS", "shasums_signature_url": "x", "signing_keys": {"gpg_public_keys": [{"ascii_armor": "x"}]}}`))
			},
			want: install.Untrusted, says: []string{"does not agree with itself"},
		},
		"truncated": {
			set:  func(t *testing.T, w world) { breaking(w.Registry, file, cut(packThing(t, "1.1.0"), 100)) },
			want: install.Unavailable, says: []string{"tried again"},
		},
		"cut once": {
			set: func(t *testing.T, w world) { once(w.Registry, file, cut(packThing(t, "1.1.0"), 100)) },
			after: func(t *testing.T, requests []string) {
				if n := len(slices.DeleteFunc(requests, func(r string) bool { return !strings.HasSuffix(r, file) })); n != 2 {
					t.Errorf("%d requests for the package", n)
				}
			},
		},
		"slow": {
			set: func(_ *testing.T, w world) {
				w.Installer.Registry.Patience.Stall = 100 * time.Millisecond
				breaking(w.Registry, file, func(w http.ResponseWriter, req *http.Request) {
					w.Header().Set("Content-Length", "1000")
					w.(http.Flusher).Flush()
					<-req.Context().Done()
				})
			},
			want: install.Unavailable, says: []string{"has sent nothing for 100ms"},
		},
		"silent": {
			set: func(_ *testing.T, w world) {
				w.Installer.Registry.Patience.Stall = 100 * time.Millisecond
				breaking(w.Registry, "versions", func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
			},
			want: install.Unavailable, says: []string{"tried again"},
		},
		"too many requests": {
			set: func(_ *testing.T, w world) {
				breaking(w.Registry, "versions", func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Retry-After", "3600")
					w.WriteHeader(http.StatusTooManyRequests)
				})
			},
			want: install.Unavailable, says: []string{"429", "3600"},
			after: func(t *testing.T, requests []string) {
				if n := len(slices.DeleteFunc(requests, func(r string) bool { return !strings.HasSuffix(r, "versions") })); n != 1 {
					t.Errorf("%d requests, although the server asked to wait", n)
				}
			},
		},
		"too many requests, once": {
			set: func(_ *testing.T, w world) {
				once(w.Registry, "versions", func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(http.StatusTooManyRequests)
				})
			},
		},
		"server fails": {
			set:  func(_ *testing.T, w world) { breaking(w.Registry, "versions", status(500)) },
			want: install.Unavailable, says: []string{"500"},
		},
		"server fails once": {set: func(_ *testing.T, w world) { once(w.Registry, "terraform.json", status(503)) }},
		"server is down":    {set: func(_ *testing.T, w world) { w.Close() }, want: install.Unavailable, says: []string{"refused"}},
		"no such provider":  {set: func(*testing.T, world) {}, request: install.Request{Source: "acme/other"}, want: install.NotFound},
		"token missing":     {set: func(_ *testing.T, w world) { w.Token = "secret" }, want: install.Denied, says: []string{"credentials"}},
		"unknown authority": {
			set: func(_ *testing.T, w world) { w.Installer.Registry.CA = "" }, want: install.InvalidAnswer,
			says: []string{"--provider-ca"},
		},
		"no registry at all": {
			set:  func(_ *testing.T, w world) { breaking(w.Registry, "terraform.json", text("{}")) },
			want: install.InvalidAnswer, says: []string{"providers.v1"},
		},
		"no JSON": {
			set:  func(_ *testing.T, w world) { breaking(w.Registry, "versions", text("<html>")) },
			want: install.InvalidAnswer,
		},
		"endless answer": {
			set: func(_ *testing.T, w world) {
				breaking(w.Registry, "versions", func(w http.ResponseWriter, _ *http.Request) {
					for range 17 {
						_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<20))
					}
				})
			},
			want: install.InvalidAnswer, says: []string{"larger than 16 MiB"},
		},
		"enormous package": {
			set: func(_ *testing.T, w world) {
				breaking(w.Registry, file, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "3000000000") })
			},
			want: install.InvalidAnswer, says: []string{"more than 2 GiB"},
		},
		"redirect without TLS": {
			set: func(_ *testing.T, w world) {
				breaking(w.Registry, file, func(w http.ResponseWriter, req *http.Request) {
					http.Redirect(w, req, "http://127.0.0.1/x.zip", http.StatusFound)
				})
			},
			want: install.InvalidAnswer, says: []string{"without TLS"},
		},
		"redirects for ever": {
			set: func(_ *testing.T, w world) {
				breaking(w.Registry, file, func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, req.URL.Path, http.StatusFound) })
			},
			want: install.InvalidAnswer, says: []string{"more than 10 times"},
		},
		"redirect to elsewhere": {
			installation: `credentials "REGISTRY" { token = "secret" }`,
			set: func(t *testing.T, w world) {
				w.Token = "secret"
				elsewhere := httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
					if req.Header.Get("Authorization") != "" {
						t.Error("the token is sent to another host")
					}
					fmt.Fprint(out, `{"versions": [{"version": "1.1.0"}]}`)
				}))
				elsewhere.TLS = w.TLS.Clone()
				elsewhere.StartTLS()
				t.Cleanup(elsewhere.Close)
				breaking(w.Registry, "versions", func(out http.ResponseWriter, req *http.Request) {
					http.Redirect(out, req, elsewhere.URL, http.StatusFound)
				})
			},
		},
		"zip bomb": {
			set:  func(t *testing.T, w world) { w.Add("acme/thing", "1.1.0", platform, bomb(t, 65<<20, 0)) },
			want: install.InvalidPackage, says: []string{"which no program has"},
		},
		"zip bomb that declares less": {
			set:  func(t *testing.T, w world) { w.Add("acme/thing", "1.1.0", platform, bomb(t, 2<<20, 1000)) },
			want: install.InvalidPackage,
		},
		"no program in the package": {
			set: func(t *testing.T, w world) {
				w.Add("acme/thing", "1.1.0", platform, registrytest.Pack(t, map[string]string{"../terraform-provider-thing_v1.1.0": "evil"}))
			},
			want: install.InvalidPackage, says: []string{"there is no terraform-provider-thing in it"},
		},
		"no package": {
			set:  func(_ *testing.T, w world) { w.Add("acme/thing", "1.1.0", platform, []byte("no zip")) },
			want: install.InvalidPackage,
		},
		"cache is a file": {
			set: func(t *testing.T, w world) {
				w.CacheDir = write(t, filepath.Join(t.TempDir(), "cache"), "")
			},
			want: install.CacheUnusable, says: []string{"--provider-cache"},
		},

		"package of a locked version changed": {
			set: func(t *testing.T, w world) {
				w.Add("acme/thing", "1.0.0", platform, packThing(t, "1.0.0 changed"))
				emptyCache(t, w)
			},
			before:  true,
			request: install.Request{Version: "1.0.0"},
			want:    install.Untrusted, says: []string{"version 1.0.0", "has changed: its checksum is zh:", "and was h1:", "spec.checksums"},
		},
		"package in the cache replaced": {
			set: func(t *testing.T, w world) {
				if err := os.Remove(cachedPackage(t, w)); err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(w.CacheDir, "packages", w.Host(), "acme/thing/terraform-provider-thing_1.0.0_"+
					platform+".zip"), string(packThing(t, "evil")))
				w.Remove("acme/thing", "1.0.0")
			},
			before:  true,
			request: install.Request{Version: "1.0.0"},
			want:    install.NoMatchingVersion,
		},
		"signed by another key than before": {
			set:    func(t *testing.T, w world) { w.Key = registrytest.NewKey(t, time.Now().Add(-time.Hour), 0) },
			before: true,
			want:   install.Untrusted, says: []string{
				"version 1.1.0", "is signed by ", "(Acme), but version 1.0.0, which was installed " +
					"before, is signed by ",
				"spec.trust.keys",
			},
		},
		"no signature any more": {
			set:    func(_ *testing.T, w world) { w.Published = []*registrytest.Key{} },
			before: true,
			want:   install.Untrusted, says: []string{"is not signed, but version 1.0.0"},
		},
		"not signed by the demanded key": {
			set:     func(*testing.T, world) {},
			request: install.Request{Trust: []string{"0123456789ABCDEF0123456789ABCDEF01234567"}},
			want:    install.Untrusted, says: []string{"not by anyone of spec.trust"},
		},
		"mirror has no signature": {
			installation: networkMirror, set: func(*testing.T, world) {},
			request: install.Request{Trust: []string{"0123456789ABCDEF0123456789ABCDEF01234567"}},
			want:    install.Untrusted, says: []string{"not signed"},
		},
		"downgrade": {
			set: func(_ *testing.T, w world) { w.Remove("acme/thing", "1.1.0"); w.Remove("acme/thing", "1.0.0") }, before: true,
			want: install.NotFound, says: []string{"there is no such provider"},
		},
		"mirror with a wrong checksum": {
			installation: networkMirror, set: func(_ *testing.T, w world) { breaking(w.Registry, file, text("something else")) },
			want: install.Untrusted, says: []string{"the network mirror"},
		},
		"mirror is down": {installation: networkMirror, set: func(_ *testing.T, w world) { w.Close() }, want: install.Unavailable},
		"mirror with no JSON": {
			installation: networkMirror,
			set:          func(_ *testing.T, w world) { breaking(w.Registry, "1.1.0.json", text("<html>")) },
			want:         install.InvalidAnswer,
		},
		"OCI mirror is down": {installation: ociMirror, set: func(_ *testing.T, w world) { w.Close() }, want: install.Unavailable},
		"OCI mirror is denied": {
			installation: ociMirror, set: func(_ *testing.T, w world) { w.Token = "secret" }, want: install.Denied,
			says: []string{"oci_credentials"},
		},
		"OCI manifest replaced": {
			installation: ociMirror, set: func(_ *testing.T, w world) { w.Corrupt("application/vnd.oci.image.manifest.v1+json") },
			want: install.Untrusted, says: []string{"does not have its checksum"},
		},
		"OCI index replaced": {
			installation: ociMirror, set: func(_ *testing.T, w world) { w.Corrupt("application/vnd.oci.image.index.v1+json") },
			want: install.Untrusted, says: []string{"does not have its checksum"},
		},
		"OCI layer replaced": {
			installation: ociMirror, set: func(_ *testing.T, w world) { w.Corrupt("archive/zip") },
			want: install.Untrusted, says: []string{"is not installed"},
		},
		"OCI layer cut once": {
			installation: ociMirror,
			set: func(t *testing.T, w world) {
				pack := packThing(t, "1.1.0")
				once(w.Registry, "/blobs/sha256:"+registrytest.Sum(pack), cut(pack, 100))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count(t, &tally.faults)
			w := newWorld(t, c.installation, "")
			if c.before {
				b, err := w.request(install.Request{Constraint: "1.0.0"})
				if err != nil {
					t.Fatal(err)
				}
				c.request.Locks = []install.Lock{*b.Lock}
			}
			c.set(t, w)
			w.Requests()
			b, err := w.request(c.request)
			if reasonOf(err) != c.want || c.want == "" && (err != nil || b.Version != "1.1.0") {
				t.Fatalf("got %+v, %v, want the reason %q", b, err, c.want)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("the message does not say %q:\n%s", s, err)
				}
			}
			if c.after != nil {
				c.after(t, w.Requests())
			}
			nothingHalf(t, w, err == nil || c.before)
		})
	}
}

// nothingHalf checks that nothing is left of a download or of a program that was not installed.
func nothingHalf(t *testing.T, w world, some bool) {
	t.Helper()
	if info, err := os.Stat(w.CacheDir); err != nil || !info.IsDir() {
		return
	}
	err := filepath.WalkDir(w.CacheDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if name := e.Name(); strings.HasPrefix(name, ".") || !some && filepath.Ext(name) != ".zip" {
			t.Errorf("%s is left", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func cachedPackage(t *testing.T, w world) string {
	t.Helper()
	return filepath.Join(w.CacheDir, "packages", w.Host(), "acme/thing", "terraform-provider-thing_1.0.0_"+platform+".zip")
}

// emptyCache removes all packages from the cache.
func emptyCache(t *testing.T, w world) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(w.CacheDir, "packages")); err != nil {
		t.Fatal(err)
	}
}
