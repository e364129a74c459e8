/** Whether a configuration value of this name is a secret as long as nobody says otherwise: the server guesses alike. */
export const soundsSecret = (name: string): boolean =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .some((word) => /(?:key|token|secret|passwd|password|credentials?)$/.test(word))
