/** The random part of an example id, cut to the length that the profile asks for: 64 characters are its maximum. */
export const EXAMPLE_ID = '7Qm2ZxT9cLw4RbN8sVk1YdHfW3uJ6tXe5PqA0gBo4CnD8iEr2FyGzHKaLsMvNhOl'

/** The number of characters after the prefix; a profile may change it. */
export const ID_CHARS = { min: 12, usual: 24, max: 64 } as const

export const exampleIdOf = (prefix: string) => `${prefix}${EXAMPLE_ID.slice(0, ID_CHARS.usual)}`
