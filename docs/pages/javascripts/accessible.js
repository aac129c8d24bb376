/* Names for the theme's parts that have none, and keys for what is moved sideways. */
"use strict";

document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
for (const [number, nav] of document.querySelectorAll("nav[aria-labelledby]").entries()) {
  const name = document.getElementById(nav.getAttribute("aria-labelledby"))?.textContent.trim();
  nav.removeAttribute("aria-labelledby");
  nav.setAttribute("aria-label", `${name || "Pages"} (${number + 1})`);
}
for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code")) {
  box.tabIndex = 0;
}
// The theme wraps tables when it has started.
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    box.tabIndex = 0;
  }
}).observe(document.body, { childList: true, subtree: true });
