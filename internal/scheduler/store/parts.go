package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// A record whose content needs parts is saved in these steps. A crash between two of them leaves
// either the record from before or the new one.
//
//  1. The head is labelled as split, or created as pending. From then on, whoever writes or deletes
//     the head knows that there may be parts.
//  2. All parts that exist are listed.
//  3. The new parts are created, under names that no head has pointed to.
//  4. The head is updated, over the version from step 1.
//  5. The parts of step 2 that the head does not point to are deleted.
//
// A part is deleted only if no head points to it, or ever will. A part from step 2 was made by a
// writer that has read the head before step 4, so its own update of the head is refused. If step 4
// is refused, the writer deletes the parts that it has created itself, and no others.
const (
	labelSplit  = "landbridge.io/split"   // of a head: there may be parts
	labelPartOf = "landbridge.io/part-of" // of a part: the hash in the name of its head

	// page is the maximum number of parts that one request lists, so that an answer has a few MiB.
	page = 8
	// reads is how often a record is read that is written at the same time.
	reads = 10
	// abandonTimeout bounds the removal of parts after a write has failed.
	abandonTimeout = 10 * time.Second
)

// saveSplit stores a record that has parts now, or may have had some before.
func (s *Secrets) saveSplit(ctx context.Context, k Key, p packed, was last) (last, error) {
	was, err := s.announce(ctx, k, p.head, was)
	if err != nil {
		return last{}, err
	}
	former := was.parts
	if !was.swept {
		if former, err = s.list(ctx, k); err != nil {
			return last{}, err
		}
	}
	s.unsweep(k) // unless everything succeeds
	c, made, err := s.createParts(ctx, k, p, was.parts)
	if err == nil && len(c.Parts) > 0 {
		err = describe(p.head, c)
	}
	if err != nil {
		s.abandon(ctx, made)
		return last{}, err
	}
	p.head.Labels[labelSplit] = "true"
	now, err := s.put(ctx, p.head, was)
	if errors.Is(err, ErrConflict) || Permanent(refused(err)) {
		s.abandon(ctx, made)
	}
	if err != nil {
		return last{}, err // after any other error, the head may have been written
	}
	now.parts = c.Parts
	now.swept = s.deleteParts(ctx, slices.DeleteFunc(slices.Clone(former), func(f part) bool {
		return slices.ContainsFunc(c.Parts, func(p part) bool { return p.Name == f.Name })
	})) == nil
	return now, nil
}

// announce labels the head as split, or creates a pending one. It returns what is stored then.
func (s *Secrets) announce(ctx context.Context, k Key, head *corev1.Secret, was last) (last, error) {
	if was.split {
		return was, nil
	}
	if was.version == "" {
		return s.reserve(ctx, k, head)
	}
	for n := 0; ; n++ {
		secret, err := s.existing(ctx, head.Name)
		if err != nil {
			return last{}, err
		}
		now, err := open(secret)
		switch {
		case err != nil || now.version != was.version && !now.touches(was):
			return last{}, ErrConflict
		case now.split:
			return now.last, nil
		}
		if secret.Labels == nil {
			secret.Labels = map[string]string{}
		}
		secret.Labels[labelSplit] = "true"
		written, err := s.client().Update(ctx, secret, metav1.UpdateOptions{})
		switch {
		case err == nil:
			return lastOf(written), nil
		case kerrors.IsNotFound(err), kerrors.IsConflict(err) && n == touches:
			return last{}, ErrConflict
		case !kerrors.IsConflict(err):
			return last{}, err
		}
	}
}

// reserve creates a pending head, or takes over one that an interrupted write has left.
func (s *Secrets) reserve(ctx context.Context, k Key, head *corev1.Secret) (last, error) {
	pending := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: head.Name,
			Labels: map[string]string{
				labelManagedBy: "landbridge", labelKind: kindLabel(k.Group, k.Kind), labelEmpty: "true",
				labelSplit: "true",
			},
			Annotations: owned(k),
		},
		Type: v1alpha1.SecretTypeInstance,
		Data: map[string][]byte{dataPending: []byte("true")},
	}
	secret, err := s.client().Create(ctx, pending, metav1.CreateOptions{})
	if kerrors.IsAlreadyExists(err) {
		if secret, err = s.client().Get(ctx, head.Name, metav1.GetOptions{}); kerrors.IsNotFound(err) {
			return last{}, ErrConflict
		}
	}
	if err != nil {
		return last{}, err
	}
	now, err := open(secret)
	if err != nil || !now.pending {
		return last{}, ErrConflict
	}
	s.saved.Store(k, now.last)
	return now.last, nil
}

// unsweep records that there may be parts that the head does not point to.
func (s *Secrets) unsweep(k Key) {
	if v, ok := s.saved.Load(k); ok {
		was := v.(last)
		was.swept = false
		s.saved.Store(k, was)
	}
}

// createParts creates the parts of a record, and returns their description and the created ones.
// While an operation runs, parts of the former head with the same content are used again, since
// each step of a journal is stored. The outcome is written as a whole.
func (s *Secrets) createParts(ctx context.Context, k Key, p packed, former []part) (c content, made []part, err error) {
	known := map[string]part{}
	if p.again {
		for _, f := range former {
			known[f.SHA256] = f
		}
	}
	c = content{Size: p.size, SHA256: p.digest.String()}
	id := strings.ReplaceAll(string(uuid.NewUUID()), "-", "")
	for i, b := range p.parts {
		secret, described := newPart(k, id, i, b)
		if f, ok := known[described.SHA256]; ok {
			c.Parts = append(c.Parts, f)
			continue
		}
		created, err := s.client().Create(unreferenced(ctx), secret, metav1.CreateOptions{})
		if err != nil {
			return content{}, append(made, described), err // it may have been created
		}
		described.uid = created.UID
		made = append(made, described)
		c.Parts = append(c.Parts, described)
	}
	return c, made, nil
}

// newPart returns a part and its description. The beginning of id is in its name.
func newPart(k Key, id string, i int, b []byte) (*corev1.Secret, part) {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("%s.%s.%d", SecretName(k), id[:16], i),
			Labels:      map[string]string{labelManagedBy: "landbridge", labelPartOf: hash(k)},
			Annotations: owned(k),
		},
		Type: v1alpha1.SecretTypeInstancePart,
		Data: map[string][]byte{dataCompressed: b},
	}
	return secret, part{Name: secret.Name, Size: len(b), SHA256: digest(sha256.Sum256(b)).String()}
}

// abandon deletes parts that no head points to, even if the write was cancelled. Those that stay
// are deleted by the next write.
func (s *Secrets) abandon(ctx context.Context, made []part) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	_ = s.deleteParts(unreferenced(ctx), made)
}

// deleteParts deletes parts. One that was restored from a backup has another UID, and
// stays: its head may be restored, too.
func (s *Secrets) deleteParts(ctx context.Context, parts []part) error {
	for _, p := range parts {
		var o metav1.DeleteOptions
		if p.uid != "" {
			o = *metav1.NewPreconditionDeleteOptions(string(p.uid))
		}
		if err := s.client().Delete(ctx, p.Name, o); err != nil && !kerrors.IsNotFound(err) && !kerrors.IsConflict(err) {
			return fmt.Errorf("cannot delete a part of the stored instance: %w", err)
		}
	}
	return nil
}

// list returns all parts of a key.
func (s *Secrets) list(ctx context.Context, k Key) ([]part, error) {
	var out []part
	err := s.pages(ctx, labelPartOf+"="+hash(k), page, func(secrets []corev1.Secret) {
		for i := range secrets {
			if isPart(&secrets[i], k) {
				out = append(out, part{Name: secrets[i].Name, uid: secrets[i].UID})
			}
		}
	})
	return out, err
}

// isPart reports whether a Secret is a part of the record of a key.
func isPart(secret *corev1.Secret, k Key) bool {
	return string(secret.Type) == v1alpha1.SecretTypeInstancePart && strings.HasPrefix(secret.Name, SecretName(k)+".")
}

// errMissing is the error for a part that does not exist.
var errMissing = errors.New("a part of it does not exist")

// read returns a head and its encoded instance. The head is the one that was listed, unless that is
// nil.
func (s *Secrets) read(ctx context.Context, name string, listed *corev1.Secret) (stored, []byte, error) {
	version := ""
	for range reads {
		secret, err := listed, error(nil)
		if listed = nil; secret == nil {
			secret, err = s.client().Get(ctx, name, metav1.GetOptions{})
		}
		if kerrors.IsNotFound(err) {
			return stored{}, nil, ErrNotFound
		}
		if err != nil {
			return stored{}, nil, fmt.Errorf("cannot load the stored instance: %w", err)
		}
		head, err := open(secret)
		if err != nil || head.content == nil {
			return head, head.plain, err
		}
		data, err := s.assemble(ctx, head)
		switch {
		case err == nil:
			return head, data, nil
		case !errors.Is(err, errMissing):
			return stored{}, nil, fmt.Errorf("%w from Secret %s", err, name)
		case head.version == version:
			return stored{}, nil,
				fmt.Errorf("%w from Secret %s: %w. Restore the Secrets that its %s names from a backup",
					ErrUnreadable, name, err, dataContent)
		}
		version = head.version // unless the head was written meanwhile, the part is lost
	}
	return stored{}, nil, errors.New("cannot load the stored instance: it is written again and again")
}

// assemble returns the encoded instance of a head whose content is compressed.
func (s *Secrets) assemble(ctx context.Context, head stored) ([]byte, error) {
	compressed := head.compressed
	for i, p := range head.parts {
		secret, err := s.client().Get(ctx, p.Name, metav1.GetOptions{})
		if kerrors.IsNotFound(err) {
			return nil, fmt.Errorf("%w (%s)", errMissing, p.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot load a part of the stored instance: %w", err)
		}
		b := secret.Data[dataCompressed]
		if len(b) != p.Size || digest(sha256.Sum256(b)).String() != p.SHA256 {
			return nil, fmt.Errorf("%w: the part %s was changed", ErrUnreadable, p.Name)
		}
		head.parts[i].uid = secret.UID
		compressed = append(compressed, b...)
	}
	data, err := head.content.decompress(compressed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return data, nil
}

// remove deletes a head that still has the version, and its parts.
func (s *Secrets) remove(ctx context.Context, k Key, version string, split bool) error {
	var parts []part
	if split {
		var err error
		if parts, err = s.list(ctx, k); err != nil {
			return err
		}
	}
	err := s.client().Delete(ctx, SecretName(k), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &version}})
	if kerrors.IsConflict(err) {
		return ErrConflict
	}
	if err != nil && !kerrors.IsNotFound(err) {
		return fmt.Errorf("cannot delete the stored instance: %w", err)
	}
	if len(parts) == 0 {
		return nil
	}
	// A finalizer of another controller may keep the head, which still points to its parts.
	secret, err := s.client().Get(ctx, SecretName(k), metav1.GetOptions{})
	switch {
	case err == nil && secret.DeletionTimestamp != nil:
		return nil
	case err != nil && !kerrors.IsNotFound(err):
		return fmt.Errorf("cannot delete the stored instance: %w", err)
	}
	return s.deleteParts(ctx, parts)
}
