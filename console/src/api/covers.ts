/** Whether one of the permissions is the wanted one, or holds it: `*` stands for any word on either side of the colon. */
export function covers(held: readonly string[], wanted: string): boolean {
  const [area, action] = wanted.split(':')
  return held.some((permission) => {
    const [heldArea, heldAction] = permission.split(':')
    return (heldArea === '*' || heldArea === area) && (heldAction === '*' || heldAction === action)
  })
}
