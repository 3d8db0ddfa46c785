// What a reader has chosen stays from visit to visit, where the browser allows it.

export function recall(name) {
  try {
    return localStorage.getItem(`dhyan-${name}`);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(`dhyan-${name}`, value);
  } catch {
    // a browser that keeps nothing: then it is chosen anew each time
  }
}
