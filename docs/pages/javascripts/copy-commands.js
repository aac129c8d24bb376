/* The button that copies a block of a terminal takes its commands alone: no prompt, no output. */
"use strict";

function commandsOf(code) {
  let isGoingOn = false;
  const found = [];
  for (const line of code.textContent.split("\n")) {
    const isCommand = isGoingOn || line.startsWith("$ ");
    if (isCommand) found.push(isGoingOn ? line : line.slice(2));
    isGoingOn = isCommand && line.endsWith("\\");
  }
  return found.join("\n");
}

// Before the theme's own handler, which copies this attribute where there is one.
document.addEventListener(
  "click",
  (event) => {
    const button = event.target.closest(".highlight button");
    const code = button?.closest(".highlight").querySelector("code");
    const commands = code?.querySelector(".gp") ? commandsOf(code) : "";
    if (commands) button.setAttribute("data-clipboard-text", commands);
  },
  true,
);
