/** Returns whether one of the permissions includes the given one. `*` matches any word on either side of the colon. */
export function covers(held: readonly string[], wanted: string): boolean {
  const [area, action] = wanted.split(':')
  return held.some((permission) => {
    const [heldArea, heldAction] = permission.split(':')
    return (heldArea === '*' || heldArea === area) && (heldAction === '*' || heldAction === action)
  })
}
