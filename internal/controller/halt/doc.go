// Package halt reads what administrators have decided about the operations of an installation: that
// they are paused, or that the brake is released.
//
// In: ConfigMaps in Landbridge's own namespace, which commands write. Out: why nothing may begin
// for a resource, and releases. It knows resources only by their providers and provider
// configurations, and never changes any.
package halt
