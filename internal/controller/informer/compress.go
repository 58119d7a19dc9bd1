package informer

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// vocabulary is what the JSON of most resources has in common. What an object shares with it takes
// no memory. It may be changed: what is compressed with it is not stored.
const vocabulary = `{"annotations":{"crossplane.io/external-create-pending":"2026-01-02T03:04:05Z","crossplane.io/external-create-succeeded":"2026-01-02T03:04:05Z",` +
	`"crossplane.io/external-name":"","landbridge.io/identity":"{\"id\":\"\"}"},"labels":{"app.kubernetes.io/name":""},` +
	`"initProvider":{},"lifecycle":{"createBeforeDestroy":true},"deletionPolicy":"Delete","tags":{"Name":""},"arn":"","region":"",` +
	`{"message":"","observedGeneration":1,"reason":"Unavailable","status":"False","type":"LastAsyncOperation"},` +
	`{"lastTransitionTime":"2026-01-02T03:04:05Z","message":"Create succeeded after 1s.","observedGeneration":1,"reason":"Succeeded","status":"True","type":"LastAsyncOperation"},` +
	`{"lastTransitionTime":"2026-01-02T03:04:05Z","observedGeneration":1,"reason":"ReconcileError","status":"False","type":"Synced"},` +
	`{"apiVersion":"landbridge.io/v1alpha1","kind":"","metadata":{"annotations":{"crossplane.io/external-name":""},` +
	`"creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["finalizer.managedresource.crossplane.io"],"generation":1,"name":"","namespace":"default","resourceVersion":"1","uid":""},` +
	`"spec":{"forProvider":{},"lifecycle":{},"managementPolicies":["*"],"providerConfigRef":{"kind":"ClusterProviderConfig","name":"default"},"writeConnectionSecretToRef":{"name":""}},` +
	`"status":{"atProvider":{"id":"","name":""},"conditions":[{"lastTransitionTime":"2026-01-02T03:04:05Z","observedGeneration":1,"reason":"Available","status":"True","type":"Ready"},` +
	`{"lastTransitionTime":"2026-01-02T03:04:05Z","observedGeneration":1,"reason":"ReconcileSuccess","status":"True","type":"Synced"}],"observedGeneration":1,"state":"Full"}}`

// vocabularyID names the vocabulary in what is compressed with it.
const vocabularyID = 1

// compressor and decompressor are made with the first object.
var (
	compressor = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(vocabularyID, []byte(vocabulary)), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(64<<10), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
		return must(e, err)
	})
	decompressor = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(vocabularyID, []byte(vocabulary)),
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		return must(d, err)
	})
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("the options of the compression of cached objects: %s", err))
	}
	return v
}

// compress returns JSON compressed.
func compress(object []byte) []byte { return bytes.Clone(compressor().EncodeAll(object, nil)) }

// decompress is the reverse of compress. It appends to a buffer.
func decompress(compressed, buffer []byte) ([]byte, error) {
	return decompressor().DecodeAll(compressed, buffer)
}
