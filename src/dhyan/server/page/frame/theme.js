// The colours that were chosen, before anything is painted: no module, so that the browser waits for it.
try {
  document.documentElement.dataset.theme = localStorage.getItem("dhyan-theme") ?? "auto";
} catch {
  // a browser that keeps nothing: the colours are the system's
}
