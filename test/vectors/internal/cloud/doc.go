// Package cloud is a cloud in memory and the same provider for it three times: by the legacy
// plugin SDK, by the framework over protocol 5, and by the framework over protocol 6. Tests
// drive the engine with them, since nothing shows better what real servers answer.
//
// The resource type cloud_thing has name (required, forces a replacement), size (optional),
// label (optional and computed), token (write-only), id and revision (computed), and the
// identity {id}. cloud_legacy, of the SDK only, has what only the SDK does.
package cloud
