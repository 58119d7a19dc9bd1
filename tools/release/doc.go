// Command release makes what is released of Landbridge: container images, manifests, programs and
// their checksums.
//
// In: a checkout, and a version. Out: files in dist/, the same for the same commit and the same Go
// release. It uses no network, except that the go command downloads modules, and that images are
// pushed when that is asked for.
package main
