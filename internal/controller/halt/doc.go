// Package halt has what administrators say about operations of a whole installation: that they are paused, and that the brake is released.
//
// In: ConfigMaps in Landbridge's own namespace, which commands write. Out: why nothing may begin for a resource, and releases. It knows
// resources only by their providers and provider configurations, and never changes any.
package halt
