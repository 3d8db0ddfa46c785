// What a reader has chosen stays from visit to visit, where the browser allows it.

const get = (storage, name) => {
  try {
    return storage().getItem(`dhyan-${name}`);
  } catch {
    return null;
  }
};

const set = (storage, name, value) => {
  try {
    storage().setItem(`dhyan-${name}`, value);
  } catch {
    // a browser that keeps nothing: then it is chosen anew each time
  }
};

export const recall = (name) => get(() => localStorage, name);
export const keep = (name, value) => set(() => localStorage, name, value);

/** The same until the tab is closed: for a key, which the next reader at this machine should not find. */
export const recallForNow = (name) => get(() => sessionStorage, name);
export const keepForNow = (name, value) => set(() => sessionStorage, name, value);
