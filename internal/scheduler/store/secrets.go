package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/tracing"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	dataHandled = "handled.json" // Tokens
	dataAccount = "account.json" // instance.Account, unless it is empty
	dataHistory = "history"      // Record.History, unless it is empty
	dataFormer  = "former.json"  // Record.Former, unless it is nil

	labelManagedBy      = "app.kubernetes.io/managed-by"
	labelEmpty          = "landbridge.io/empty"
	labelKind           = "landbridge.io/kind"       // kindLabel
	labelObjectsBy      = "landbridge.io/objects-by" // Objects.By
	labelObject         = "landbridge.io/object"     // Objects.Hashes
	labelIdentity       = "identity.landbridge.io/"  // precedes each of Objects.Hashes
	annotationOwnerUID  = "landbridge.io/owner-uid"
	annotationOwnerKind = "landbridge.io/owner-kind"
	annotationOwnerName = "landbridge.io/owner"
	annotationWrite     = "landbridge.io/write" // the id of the last write by Landbridge
	annotationShard     = "landbridge.io/shard" // Shard, unless it is the zero value
)

// Selector selects the Secrets of all instances.
const Selector = labelManagedBy + "=landbridge"

// Others selects all other Secrets.
const Others = labelManagedBy + "!=landbridge"

// Secrets keeps instances in Secrets of one namespace.
type Secrets struct {
	// Client accesses the Secrets of Landbridge's namespace. It must not cache.
	Client typedcorev1.SecretInterface
	// PartSize is the maximum size of the data in one Secret, in bytes. Defaults to 512 KiB.
	PartSize int
	// Refused is called with each write that the API server will never accept, or that is too large
	// to be tried. It may be nil.
	Refused func(Key, error)
	// Shard is what this process works on. With the zero value, it works on everything.
	Shard Shard

	// saved holds what was last read or written. An equal record is not written again, and a record
	// is recognized after others have added metadata.
	saved sync.Map // Key -> last
	// listed are heads that were just listed, see Each.
	listed sync.Map // Key -> *corev1.Secret
}

var _ Store = (*Secrets)(nil)

// SecretName returns the name of the Secret of a key. It is readable, and unique by a hash, since
// the parts together may be too long for a name.
func SecretName(k Key) string {
	readable := strings.ToLower(k.Kind) + "." + k.Name
	if len(readable) > 180 {
		readable = strings.TrimRight(readable[:180], ".-")
	}
	return readable + "." + hash(k)
}

func hash(k Key) string { return hashOf(10, k.Group, k.Kind, k.Namespace, k.Name) }

// hashOf returns the first bytes of the hash of some texts, as hex digits.
func hashOf(bytes int, texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:bytes])
}

// KeyOf returns the key of the record in a Secret, from its metadata; false if it is not one of
// Landbridge's.
func KeyOf(secret metav1.Object) (Key, bool) {
	annotations := secret.GetAnnotations()
	kind, group, _ := strings.Cut(annotations[annotationOwnerKind], ".")
	namespace, name, namespaced := strings.Cut(annotations[annotationOwnerName], "/")
	if !namespaced {
		namespace, name = "", namespace
	}
	k := Key{Group: group, Kind: kind, Namespace: namespace, Name: name}
	return k, SecretName(k) == secret.GetName()
}

// Verbatim is a schema of a version that no value is stored with. Loading by it leaves all values
// raw, and saving writes them back byte for byte.
var Verbatim = &schema.Resource{Version: -1, Block: &schema.Block{}}

// Load implements Store.
func (s *Secrets) Load(ctx context.Context, k Key, r *schema.Resource) (Record, error) {
	head, data, err := s.read(ctx, SecretName(k), s.taken(k))
	switch {
	case errors.Is(err, ErrNotFound):
		s.Forget(k)
		return Record{}, err
	case err != nil:
		return Record{}, err
	case s.Shard.conflicts(head.shard):
		return Record{Owner: head.record.Owner, Handled: head.record.Handled}, ErrElsewhere
	case head.pending:
		s.saved.Store(k, head.last)
		return Record{}, ErrNotFound
	}
	rec := head.record
	rec.Objects = Objects{}
	if rec.Instance, err = instance.Decode(data, r); err != nil {
		return Record{}, fmt.Errorf("%w from Secret %s: %w", ErrUnreadable, SecretName(k), err)
	}
	s.saved.Store(k, head.last)
	return rec, nil
}

// Encoded returns the encoded instance of a key. It returns ErrNotFound when nothing is stored.
func (s *Secrets) Encoded(ctx context.Context, k Key) ([]byte, error) {
	head, data, err := s.read(ctx, SecretName(k), nil)
	if err == nil && head.pending {
		err = ErrNotFound
	}
	return data, err
}

// recordOf returns the record of a head without instance and tokens.
func recordOf(secret *corev1.Secret) Record {
	return Record{
		Owner: OwnerOf(secret), Version: secret.ResourceVersion, Objects: objectsOf(secret),
		Account: instance.DecodeAccount(secret.Data[dataAccount]), History: HistoryOf(secret),
		Former: formerOf(secret.Data[dataFormer]),
	}
}

// sumOf identifies a record whose encoded instance has a digest.
func sumOf(rec Record, d digest) digest {
	h := rec.Handled
	text := strings.Join([]string{
		string(rec.Owner), h.Taint, h.Untaint, h.Retry, h.Interrupt, strconv.FormatInt(h.Held, 10),
		strconv.FormatBool(h.Imported),
		h.Approve, h.ApprovedAction, h.ApprovedBy, h.ApprovedAt, h.ApprovedCreate, h.Reapply, h.MovedTo, h.MovedFrom,
		strconv.FormatBool(h.MoveOpen), rec.Objects.text(), string(rec.Account), string(rec.History),
		rec.Former.sum(), "",
	}, "\x00")
	return sha256.Sum256(append([]byte(text), d[:]...))
}

// Manifests returns the Secret that holds a record, without the namespace, the version and the id
// of a write, which it gets when it is written; and its parts, which have to be created before it.
func Manifests(k Key, r *schema.Resource, rec Record) (head *corev1.Secret, parts []*corev1.Secret, _ error) {
	p, err := pack(k, r, rec, partSize)
	if err != nil || len(p.parts) == 0 {
		return p.head, nil, err
	}
	c := content{Size: p.size, SHA256: p.digest.String()}
	for i, b := range p.parts {
		secret, described := newPart(k, p.digest.String(), i, b)
		parts, c.Parts = append(parts, secret), append(c.Parts, described)
	}
	p.head.Labels[labelSplit] = "true"
	return p.head, parts, describe(p.head, c)
}

// packed is a record as it will be stored.
type packed struct {
	// head lacks the content if there are parts.
	head  *corev1.Secret
	parts [][]byte
	// size and digest are those of the encoded instance.
	size   int
	digest digest
	sum    digest // of the record
	// again is set when parts with the same content may be used again.
	again bool
}

func pack(k Key, r *schema.Resource, rec Record, most int) (packed, error) {
	rec.Objects = rec.Objects.bounded()
	data, err := encode(rec.Instance, r, MaxState)
	if err != nil {
		return packed{}, err
	}
	head := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:        SecretName(k),
			Labels:      map[string]string{labelManagedBy: "landbridge", labelKind: kindLabel(k.Group, k.Kind)},
			Annotations: owned(k),
		},
		Type: v1alpha1.SecretTypeInstance,
		Data: map[string][]byte{},
	}
	if rec.Owner != "" {
		head.Annotations[annotationOwnerUID] = string(rec.Owner)
	}
	if rec.Instance.Nothing() {
		head.Labels[labelEmpty] = "true"
	}
	rec.Objects.label(head)
	if rec.Handled != (Tokens{}) {
		if head.Data[dataHandled], err = json.Marshal(rec.Handled); err != nil {
			return packed{}, fmt.Errorf("cannot encode %s: %w", dataHandled, err)
		}
	}
	if rec.Account != "" {
		head.Data[dataAccount] = []byte(rec.Account)
	}
	if len(rec.History) > 0 {
		head.Data[dataHistory] = rec.History
	}
	if rec.Former != nil {
		if head.Data[dataFormer], err = json.Marshal(rec.Former); err != nil {
			return packed{}, fmt.Errorf("cannot encode %s: %w", dataFormer, err)
		}
	}
	out := packed{head: head, size: len(data), digest: sha256.Sum256(data), again: rec.Instance.Operation != nil}
	out.sum = sumOf(rec, out.digest)
	out.parts, err = fill(head, data, out.digest, most)
	return out, err
}

// owned returns the annotations that name a custom resource.
func owned(k Key) map[string]string {
	return map[string]string{
		annotationOwnerKind: k.Kind + "." + k.Group,
		annotationOwnerName: strings.TrimPrefix(k.Namespace+"/"+k.Name, "/"),
	}
}

// Save implements Store.
func (s *Secrets) Save(ctx context.Context, k Key, r *schema.Resource, rec Record) (Record, error) {
	ctx, span := tracing.Child(ctx, "Save")
	rec, err := s.save(ctx, k, r, rec)
	span.End(err != nil)
	if Permanent(err) && s.Refused != nil {
		s.Refused(k, err)
	}
	return rec, err
}

func (s *Secrets) save(ctx context.Context, k Key, r *schema.Resource, rec Record) (Record, error) {
	p, err := pack(k, r, rec, cmp.Or(s.PartSize, partSize))
	if err != nil {
		return rec, err
	}
	s.Shard.mark(p.head)
	was, err := s.before(ctx, k, rec.Version)
	if err != nil {
		return rec, err
	}
	if rec.Version != "" && was.sum == p.sum && !rec.Rewrite {
		rec.Version, rec.Objects = was.version, Objects{}
		return rec, nil
	}
	var now last
	if len(p.parts) > 0 || was.split {
		now, err = s.saveSplit(ctx, k, p, was)
	} else if now, err = s.put(ctx, p.head, was); errors.Is(err, errSplit) {
		now, err = s.saveSplit(ctx, k, p, was)
	}
	if err != nil {
		return rec, refused(err)
	}
	now.sum = p.sum
	s.saved.Store(k, now)
	rec.Version, rec.Objects, rec.Rewrite = now.version, Objects{}, false
	return rec, nil
}

// before returns what is stored before a write. Nothing is read if this process has read or written
// it.
func (s *Secrets) before(ctx context.Context, k Key, version string) (last, error) {
	if v, ok := s.saved.Load(k); ok {
		if was := v.(last); was.pending && version == "" || version != "" && was.version == version {
			return was, nil
		}
	}
	if version == "" {
		return last{}, nil
	}
	secret, err := s.client().Get(ctx, SecretName(k), metav1.GetOptions{})
	if kerrors.IsNotFound(err) || err == nil && secret.ResourceVersion != version {
		return last{}, ErrConflict
	}
	if err != nil {
		return last{}, fmt.Errorf("cannot store the instance: %w", err)
	}
	head, err := open(secret)
	if err != nil {
		return last{}, ErrConflict
	}
	return head.last, nil
}

// untracked, in an update, has the API server remove the managed fields and compute none from then
// on, until another client applies the Secret. They are for objects with several writers, and here
// take as much space as the record.
var untracked = []metav1.ManagedFieldsEntry{{}}

// errSplit is the error of put for a head that was labelled as split meanwhile.
var errSplit = errors.New("the stored instance may have parts")

// put writes a head over the one that was last read or written, or creates it.
func (s *Secrets) put(ctx context.Context, head *corev1.Secret, was last) (last, error) {
	id := string(uuid.NewUUID())
	head.Annotations[annotationWrite] = id
	own := head.ObjectMeta
	defer func() { head.ObjectMeta = own }()
	for n := 0; ; n++ {
		var written *corev1.Secret
		var err error
		head.ObjectMeta = with(own, was.foreign)
		if head.ResourceVersion = was.version; was.version == "" {
			written, err = s.client().Create(ctx, head, metav1.CreateOptions{})
		} else {
			if was.foreign == nil {
				head.ManagedFields = untracked
			}
			written, err = s.client().Update(ctx, head, metav1.UpdateOptions{})
		}
		switch {
		case err == nil:
			return lastOf(written), nil
		case kerrors.IsNotFound(err) && was.version != "":
			return last{}, ErrConflict
		case !kerrors.IsConflict(err) && !kerrors.IsAlreadyExists(err):
			return last{}, err
		}
		secret, err := s.existing(ctx, head.Name)
		if err != nil {
			return last{}, err
		}
		now, err := open(secret)
		switch {
		case err == nil && now.write == id:
			return now.last, nil // the write succeeded, although an answer was lost
		case err == nil && was.version == "" && now.pending:
			return last{}, errSplit
		case err != nil || n == touches || !now.touches(was):
			return last{}, ErrConflict
		case now.split && head.Labels[labelSplit] == "":
			return last{}, errSplit
		}
		was = now.last
	}
}

// existing returns a Secret that was stored. It returns ErrConflict if it was deleted.
func (s *Secrets) existing(ctx context.Context, name string) (*corev1.Secret, error) {
	secret, err := s.client().Get(ctx, name, metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		return nil, ErrConflict
	}
	return secret, err
}

// lastOf returns the facts about a head that was written. The sum is not set.
func lastOf(written *corev1.Secret) last {
	head, err := open(written)
	if err != nil {
		return last{version: written.ResourceVersion} // never: Landbridge has made it
	}
	return head.last
}

// Delete implements Store.
func (s *Secrets) Delete(ctx context.Context, k Key, version string) error {
	var was last
	if v, ok := s.saved.Load(k); ok {
		was = v.(last)
	}
	switch {
	case version == "" && !was.pending:
		return nil // it was never stored
	case version == "":
		version = was.version
	case was.version != version:
		secret, err := s.client().Get(ctx, SecretName(k), metav1.GetOptions{})
		if err != nil && !kerrors.IsNotFound(err) {
			return fmt.Errorf("cannot delete the stored instance: %w", err)
		}
		// If it is gone already, its parts may not be.
		was.split = err != nil || secret.Labels[labelSplit] != ""
	}
	if err := s.remove(ctx, k, version, was.split); err != nil {
		return err
	}
	s.Forget(k)
	return nil
}

// Forget implements Store.
func (s *Secrets) Forget(k Key) {
	s.saved.Delete(k)
	s.listed.Delete(k)
}
