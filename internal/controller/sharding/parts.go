package sharding

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
)

// A table that does not fit into one Secret is divided among further ones, as large states are: the
// parts are created under names that no table has pointed to, then the Secret of the table is
// written, over the version that was read, and then the former parts are deleted. A process that
// ends in between leaves the table from before or the new one, and parts that are never read.
const partType corev1.SecretType = "landbridge.io/shards-part"

const (
	partData = "part"
	// partsData has the parts in place of placementData.
	partsData = "parts.json"
	// partSize is less than the megabyte that a Secret can have.
	partSize = 768 << 10
	// readTimeout bounds how long the parts of a table are read that a watch tells of.
	readTimeout = 30 * time.Second
	// labelPartOf is the table of a part. Parts that no table points to are deleted when they are
	// older than abandoned.
	labelPartOf = "landbridge.io/shards-part-of"
	abandoned   = time.Hour
)

// part is one of the Secrets that a table is divided among.
type part struct {
	Name string `json:"name"`
}

// errReplaced means that a part is gone: another version of the table has been stored meanwhile.
var errReplaced = errors.New("the table of shards has been replaced meanwhile")

// partsOf returns the parts of a table; none if it is in one Secret.
func partsOf(secret *corev1.Secret) (out []part, _ error) {
	if raw := secret.Data[partsData]; raw != nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			return nil, unreadable(secret, err)
		}
	}
	return out, nil
}

func unreadable(secret *corev1.Secret, err error) error {
	return fmt.Errorf("the Secret %s cannot be read. Delete it, and restart all replicas: %w", secret.Name, err)
}

// TableOf returns the table in a Secret. get returns the Secrets that it is divided among.
func TableOf(secret *corev1.Secret, get func(name string) (*corev1.Secret, error)) (out shard.Table, _ error) {
	parts, err := partsOf(secret)
	if err != nil {
		return out, err
	}
	content := secret.Data[placementData]
	for _, p := range parts {
		s, err := get(p.Name)
		if err != nil {
			return out, err
		}
		content = append(content, s.Data[partData]...)
	}
	if err := json.Unmarshal(content, &out); err != nil {
		return out, unreadable(secret, err)
	}
	return out, nil
}

// read returns the table in a Secret, or errReplaced.
func (p *Placement) read(ctx context.Context, secret *corev1.Secret) (shard.Table, error) {
	return TableOf(secret, func(name string) (*corev1.Secret, error) {
		s, err := p.Secrets.Get(ctx, name, metav1.GetOptions{})
		if kerrors.IsNotFound(err) {
			return nil, p.replaced(ctx, secret)
		}
		return s, err
	})
}

// replaced returns errReplaced if another version of a table is stored than the one whose part is
// gone.
func (p *Placement) replaced(ctx context.Context, secret *corev1.Secret) error {
	now, err := p.Secrets.Get(ctx, p.Name, metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err), err == nil && now.ResourceVersion != secret.ResourceVersion:
		return errReplaced
	case err != nil:
		return err
	}
	return unreadable(secret, errors.New("a part of it is gone"))
}

// divide returns the data of the Secret of a table, and the parts that were created for it.
func (p *Placement) divide(ctx context.Context, content []byte) (data map[string][]byte, made []part, err error) {
	if len(content) <= partSize {
		return map[string][]byte{placementData: content}, nil, nil
	}
	for piece := range slices.Chunk(content, partSize) {
		name := p.Name + "." + strings.ToLower(rand.Text())
		_, err := p.Secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{labelPartOf: p.Name}},
			Type:       partType, Data: map[string][]byte{partData: piece},
		}, metav1.CreateOptions{})
		if err != nil {
			p.remove(ctx, made)
			return nil, nil, err
		}
		made = append(made, part{name})
	}
	raw, err := json.Marshal(made)
	return map[string][]byte{partsData: raw}, made, err
}

// remove deletes parts. Those that cannot be deleted now are when they are older.
func (p *Placement) remove(ctx context.Context, parts []part) {
	for _, of := range parts {
		if err := p.Secrets.Delete(ctx, of.Name, metav1.DeleteOptions{}); err != nil && !kerrors.IsNotFound(err) {
			p.Logger.V(1).Info("A part of a former table of shards is deleted later", "secret", of.Name, "reason", err.Error())
		}
	}
}

// RemoveAbandoned deletes parts that processes have left that ended while they stored a table.
func (p *Placement) RemoveAbandoned(ctx context.Context) error {
	all, err := p.Secrets.List(ctx, metav1.ListOptions{LabelSelector: labelPartOf + "=" + p.Name})
	if err != nil || len(all.Items) == 0 {
		return err
	}
	secret, err := p.Secrets.Get(ctx, p.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	used, err := partsOf(secret)
	if err != nil {
		return err
	}
	var left []part
	for _, s := range all.Items {
		if !slices.Contains(used, part{s.Name}) && time.Since(s.CreationTimestamp.Time) > abandoned {
			left = append(left, part{s.Name})
		}
	}
	p.remove(ctx, left)
	return nil
}
