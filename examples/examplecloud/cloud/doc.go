// Package cloud is a small real cloud: an HTTP API over durable storage, with
// regions, tasks, faults on request, and an audit of what was created and deleted.
//
// In go HTTP requests as package api describes them, and a file (bbolt) to keep
// everything in; out come answers. A restart on the same file goes on where the
// cloud ended, tasks included; faults and settings are of one run. It never calls
// anybody and knows nothing of Terraform.
//
//	POST   /v1/{collection}             202 and a task; the object appears when the task has ended
//	GET    /v1/{collection}?field=value objects, by any of their fields ("cluster_info.id" for inner ones)
//	GET    /v1/{collection}/{id}        one object; ?region= looks in one region only
//	PATCH  /v1/{collection}/{id}        replaces the fields given, removes those given as null
//	DELETE /v1/{collection}/{id}        202 and a task; cancels a creation that is under way
//	GET    /v1/tasks?field=value        running creations, by fields of the object to be
//	GET    /v1/tasks/{id}               one task
//	DELETE /v1/tasks/{id}               cancels a running task
//	GET    /v1/regions
//
// and for those who test with it, without authentication:
//
//	GET    /healthz
//	GET    /admin/audit, POST with what is managed, to learn of orphans
//	GET    /admin/events
//	GET, POST, DELETE /admin/faults, DELETE /admin/faults/{id}
//	GET, PUT /admin/settings
//	POST   /admin/tasks/{id}            ends a running task
//	PATCH, DELETE /admin/objects/{collection}/{id}  changes or removes an object at once, whatever the rules say
package cloud
