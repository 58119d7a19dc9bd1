package hcloudtest

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// SSHKey is a public key of the API.
type SSHKey struct {
	ID          int64             `json:"id"`
	Name        string            `json:"name"`
	Fingerprint string            `json:"fingerprint"` // MD5, as in "b7:2f:…"
	PublicKey   string            `json:"public_key"`
	Labels      map[string]string `json:"labels"`
	Created     time.Time         `json:"created"`
}

// SSHKeys returns a copy of every key.
func (s *Server) SSHKeys() []SSHKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]SSHKey, 0, len(s.sshKeys))
	for _, k := range s.sshKeys {
		all = append(all, *k)
	}
	return all
}

func (s *Server) listSSHKeys(r *http.Request) (int, any) {
	found := sorted(r, s.sshKeys, func(k *SSHKey) string { return k.Name })
	if fingerprint := r.URL.Query().Get("fingerprint"); fingerprint != "" {
		var matching []*SSHKey
		for _, k := range found {
			if k.Fingerprint == fingerprint {
				matching = append(matching, k)
			}
		}
		found = matching
	}
	return listAnswer("ssh_keys", found)
}

func (s *Server) getSSHKey(r *http.Request) (int, any) {
	k := find(r, s.sshKeys)
	if k == nil {
		return notFound("SSH key")
	}
	return http.StatusOK, map[string]any{"ssh_key": k}
}

func (s *Server) createSSHKey(r *http.Request) (int, any) {
	var in struct {
		Name      string            `json:"name"`
		PublicKey string            `json:"public_key"`
		Labels    map[string]string `json:"labels"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return failure(http.StatusBadRequest, "json_error", "%s", err)
	}
	fingerprint, ok := fingerprintOf(in.PublicKey)
	switch {
	case in.Name == "":
		return invalidInput("invalid input in field 'name'")
	case !ok:
		return invalidInput("invalid input in field 'public_key'")
	}
	for _, other := range s.sshKeys {
		if other.Name == in.Name || other.Fingerprint == fingerprint {
			return failure(http.StatusConflict, "uniqueness_error", "SSH key with the same name or fingerprint already exists")
		}
	}
	if in.Labels == nil {
		in.Labels = map[string]string{}
	}
	k := &SSHKey{
		ID: s.nextID(), Name: in.Name, PublicKey: in.PublicKey, Fingerprint: fingerprint,
		Labels: in.Labels, Created: time.Now().UTC(),
	}
	s.sshKeys[k.ID] = k
	return http.StatusCreated, map[string]any{"ssh_key": k}
}

func (s *Server) updateSSHKey(r *http.Request) (int, any) {
	k := find(r, s.sshKeys)
	if k == nil {
		return notFound("SSH key")
	}
	var in struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return failure(http.StatusBadRequest, "json_error", "%s", err)
	}
	if in.Name != "" {
		k.Name = in.Name
	}
	if in.Labels != nil {
		k.Labels = in.Labels
	}
	return http.StatusOK, map[string]any{"ssh_key": k}
}

func (s *Server) deleteSSHKey(r *http.Request) (int, any) {
	k := find(r, s.sshKeys)
	if k == nil {
		return notFound("SSH key")
	}
	delete(s.sshKeys, k.ID)
	return http.StatusNoContent, nil
}

// fingerprintOf returns the MD5 fingerprint of a key in the format of
// authorized_keys, and whether it is one.
func fingerprintOf(publicKey string) (string, bool) {
	fields := strings.Fields(publicKey)
	if len(fields) < 2 {
		return "", false
	}
	blob, err := base64.StdEncoding.DecodeString(fields[1])
	if err != nil {
		return "", false
	}
	var b strings.Builder
	for i, octet := range md5.Sum(blob) {
		if i > 0 {
			b.WriteByte(':')
		}
		const hex = "0123456789abcdef"
		b.WriteByte(hex[octet>>4])
		b.WriteByte(hex[octet&15])
	}
	return b.String(), true
}
