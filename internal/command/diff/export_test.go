package diff

// Refusal is refusal.
var Refusal = refusal
