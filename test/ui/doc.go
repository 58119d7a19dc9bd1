// Package ui tries the page of landbridge ui in a browser: a person's flows, and every view in both
// themes for what hinders people with disabilities, what is cut off and what the page's policy
// forbids.
//
// In: Chromium, which TestMain installs with apt-get if it is absent, examplecloud with its
// provider, and a controller in a playground. Out: a closing line: how many flows and views were
// tried, and what axe-core, which is in axe with its licence, found.
package ui
