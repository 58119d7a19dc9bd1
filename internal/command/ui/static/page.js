// What the page needs beside htmx: buttons that copy, whether the page is live, and plans that
// change while they are read. Without it, everything else works.
"use strict";
document.documentElement.classList.add("js");

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied";
  }
});

function say(live, text) {
  const at = document.getElementById("live");
  document.documentElement.classList.toggle("live", live);
  if (at && at.textContent !== text) at.textContent = text;
}
document.addEventListener("htmx:sse:after:connection", () => say(true, "Live"));
document.addEventListener("htmx:sse:error", () => say(false, "Not live: the connection is lost"));
document.addEventListener("htmx:sse:close", () => say(false, "Not live: load the page again"));

// The hashes of the plans that the person has seen, by resource.
const seen = new Map();
function look() {
  for (const plan of document.querySelectorAll("[data-plan]")) {
    const { plan: of, hash } = plan.dataset;
    if (!seen.has(of)) seen.set(of, hash);
    if (seen.get(of) === hash || plan.querySelector(".changed-plan")) continue;
    const note = document.createElement("p");
    note.className = "changed-plan";
    note.setAttribute("role", "alert");
    note.textContent = "This plan has changed since you opened the page. Read it again before you approve it.";
    plan.prepend(note);
  }
}
document.addEventListener("DOMContentLoaded", look);
document.addEventListener("htmx:after:swap", look);
