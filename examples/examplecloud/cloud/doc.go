// Package cloud is a small real cloud: an HTTP API over durable storage, with
// regions, tasks, faults on request, and an audit of what was created and deleted.
//
// In: HTTP requests as in package api, and a bbolt file for the data. Out: responses.
// A restart with the same file continues all tasks; faults and settings last for one
// run. It makes no requests and does not depend on Terraform.
//
//	POST   /v1/{collection}             202 and a task; the object appears when the task has ended
//	GET    /v1/{collection}?field=value objects, by any of their fields ("cluster_info.id" for inner ones)
//	GET    /v1/{collection}/{id}        one object; ?region= looks in one region only, in any case
//	PATCH  /v1/{collection}/{id}        replaces the fields given, removes those given as null
//	DELETE /v1/{collection}/{id}        202 and a task; cancels a create in progress
//	GET    /v1/tasks?field=value        running creates, by fields of the future object
//	GET    /v1/tasks/{id}               one task
//	DELETE /v1/tasks/{id}               cancels a running task
//	GET    /v1/regions
//
// and for tests, without authentication:
//
//	GET    /healthz
//	GET    /admin/audit, POST with the managed objects, to find orphans
//	GET    /admin/events
//	GET, POST, DELETE /admin/faults, DELETE /admin/faults/{id}
//	GET, PUT /admin/settings
//	POST   /admin/tasks/{id}            ends a running task
//	GET    /admin/objects/{collection}  what is stored, whatever faults let clients see
//	PATCH, DELETE /admin/objects/{collection}/{id}  changes or removes an object at once, ignoring all rules
package cloud
