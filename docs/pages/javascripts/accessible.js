/* Names for the theme's parts that have none, and keys for what is moved sideways. */
"use strict";

document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
for (const [number, nav] of document.querySelectorAll("nav[aria-labelledby]").entries()) {
  const name = document.getElementById(nav.getAttribute("aria-labelledby"))?.textContent.trim();
  nav.removeAttribute("aria-labelledby");
  nav.setAttribute("aria-label", `${name || "Pages"} (${number + 1})`);
}

function complete() {
  const boxes = ".md-typeset__scrollwrap:not([tabindex]), .md-typeset pre > code:not([tabindex])";
  for (const box of document.querySelectorAll(boxes)) box.tabIndex = 0;
  for (const [number, nav] of document.querySelectorAll(".md-code__nav").entries()) {
    if (!nav.hasAttribute("aria-label")) nav.setAttribute("aria-label", `Code ${number + 1}`);
  }
}

complete();
// The theme wraps tables and puts buttons to code later, and takes keys away again.
new MutationObserver(complete).observe(document.body, {
  attributeFilter: ["tabindex"],
  childList: true,
  subtree: true,
});
