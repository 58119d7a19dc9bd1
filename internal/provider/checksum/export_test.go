package checksum

import "os"

// Remembers reports whether the checksum of the content that a file has now is remembered.
func Remembers(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	now, err := stampOf(f)
	if err != nil {
		return false
	}
	mu.Lock()
	defer mu.Unlock()
	_, ok := known[now]
	return ok || now.weak
}
