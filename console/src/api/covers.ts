/**
 * Returns whether any of the held permissions includes the required one. A `*` on either side of the colon matches
 * any word.
 */
export function covers(held: readonly string[], required: string): boolean {
  const [area, action] = required.split(':')
  return held.some((permission) => {
    const [heldArea, heldAction] = permission.split(':')
    return (heldArea === '*' || heldArea === area) && (heldAction === '*' || heldAction === action)
  })
}
