// Package text shortens texts for messages, records and screens. In: a text and a limit. Out: the
// beginning of the text. It never splits a character, and never knows what a text means.
package text
