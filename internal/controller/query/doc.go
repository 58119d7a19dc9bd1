// Package query is the controller of ResourceQueries.
//
// In: ResourceQueries, the providers that are served, and which resources own objects. Out: the
// status of each query, pages in ConfigMaps of its namespace, events when counts change, and
// metrics.
//
// A query lists objects by the code of the command discover (package discovery), with a provider
// configuration that its namespace may use. It never reads, creates, changes or imports an object.
// Of objects that resources of other namespaces own, it tells the number, and nothing else. What is
// unchanged is not written.
package query
