package hcloudtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"
)

// The API's bounds of a volume's size in GB.
const minVolumeSize, maxVolumeSize = 10, 10240

// Volume is a volume of the API.
type Volume struct {
	ID          int64             `json:"id"`
	Name        string            `json:"name"`
	Size        int               `json:"size"` // GB
	Status      string            `json:"status"`
	Location    Location          `json:"location"`
	Server      *int64            `json:"server"`
	Format      *string           `json:"format"`
	LinuxDevice string            `json:"linux_device"`
	Labels      map[string]string `json:"labels"`
	Protection  VolumeProtection  `json:"protection"`
	Created     time.Time         `json:"created"`
}

// VolumeProtection lists the operations that are forbidden on a volume.
type VolumeProtection struct {
	Delete bool `json:"delete"`
}

func (v *Volume) reference() reference { return reference{ID: v.ID, Type: "volume"} }

// Volumes returns a copy of every volume.
func (s *Server) Volumes() []Volume {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	all := make([]Volume, 0, len(s.volumes))
	for _, v := range s.volumes {
		volume := *v
		volume.Labels = maps.Clone(v.Labels)
		all = append(all, volume)
	}
	return all
}

// EditVolume changes a volume without a request, and reports whether it exists.
func (s *Server) EditVolume(id int64, edit func(*Volume)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	v, ok := s.volumes[id]
	if ok {
		edit(v)
	}
	return ok
}

func (s *Server) listVolumes(r *http.Request) (int, any) {
	return listAnswer("volumes", sorted(r, s.volumes, func(v *Volume) string { return v.Name }))
}

func (s *Server) getVolume(r *http.Request) (int, any) {
	v := find(r, s.volumes)
	if v == nil {
		return notFound("volume")
	}
	return http.StatusOK, map[string]any{"volume": v}
}

func (s *Server) createVolume(r *http.Request) (int, any) {
	var in struct {
		Name     string            `json:"name"`
		Size     int               `json:"size"`
		Location any               `json:"location"` // name or id
		Server   *int64            `json:"server"`
		Labels   map[string]string `json:"labels"`
		Format   *string           `json:"format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return failure(http.StatusBadRequest, "json_error", "%s", err)
	}
	if in.Server != nil {
		return notFound("server") // there are none
	}
	location, ok := locationOf(fmt.Sprint(in.Location))
	switch {
	case in.Name == "":
		return invalidInput("invalid input in field 'name'")
	case in.Size < minVolumeSize || in.Size > maxVolumeSize:
		return invalidInput("invalid input in field 'size'")
	case !ok:
		return invalidInput("invalid input in field 'location'")
	case s.volumeNamed(in.Name) != nil:
		return failure(http.StatusConflict, "uniqueness_error", "volume name %q is already used", in.Name)
	}
	if in.Labels == nil {
		in.Labels = map[string]string{}
	}
	v := &Volume{
		ID: s.nextID(), Name: in.Name, Size: in.Size, Status: "creating", Location: location,
		Format: in.Format, Labels: in.Labels, Created: time.Now().UTC(),
	}
	v.LinuxDevice = fmt.Sprintf("/dev/disk/by-id/scsi-0HC_Volume_%d", v.ID)
	s.volumes[v.ID] = v
	a := s.act("create_volume", v.reference(), func() { v.Status = "available" })
	return http.StatusCreated, map[string]any{"volume": v, "action": a, "next_actions": []any{}}
}

func (s *Server) updateVolume(r *http.Request) (int, any) {
	v := find(r, s.volumes)
	if v == nil {
		return notFound("volume")
	}
	var in struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return failure(http.StatusBadRequest, "json_error", "%s", err)
	}
	if other := s.volumeNamed(in.Name); other != nil && other != v {
		return failure(http.StatusConflict, "uniqueness_error", "volume name %q is already used", in.Name)
	}
	if in.Name != "" {
		v.Name = in.Name
	}
	if in.Labels != nil {
		v.Labels = in.Labels
	}
	return http.StatusOK, map[string]any{"volume": v}
}

func (s *Server) deleteVolume(r *http.Request) (int, any) {
	v := find(r, s.volumes)
	switch {
	case v == nil:
		return notFound("volume")
	case v.Protection.Delete:
		return failure(http.StatusForbidden, "protected", "volume deletion is protected")
	case s.busy(v.reference()):
		return locked(v)
	}
	delete(s.volumes, v.ID)
	return http.StatusNoContent, nil
}

func (s *Server) resizeVolume(r *http.Request) (int, any) {
	v := find(r, s.volumes)
	if v == nil {
		return notFound("volume")
	}
	var in struct {
		Size int `json:"size"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return failure(http.StatusBadRequest, "json_error", "%s", err)
	}
	switch {
	case in.Size <= v.Size || in.Size > maxVolumeSize:
		return invalidInput("invalid input in field 'size'")
	case s.busy(v.reference()):
		return locked(v)
	}
	a := s.act("resize_volume", v.reference(), func() { v.Size = in.Size })
	return http.StatusCreated, map[string]any{"action": a}
}

func (s *Server) protectVolume(r *http.Request) (int, any) {
	v := find(r, s.volumes)
	if v == nil {
		return notFound("volume")
	}
	var in struct {
		Delete *bool `json:"delete"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return failure(http.StatusBadRequest, "json_error", "%s", err)
	}
	if s.busy(v.reference()) {
		return locked(v)
	}
	a := s.act("change_protection", v.reference(), func() {
		if in.Delete != nil {
			v.Protection.Delete = *in.Delete
		}
	})
	return http.StatusCreated, map[string]any{"action": a}
}

func (s *Server) volumeNamed(name string) *Volume {
	for _, v := range s.volumes {
		if v.Name == name {
			return v
		}
	}
	return nil
}

func locked(v *Volume) (int, any) {
	return failure(http.StatusLocked, "locked", "volume %d is locked by a running action", v.ID)
}
