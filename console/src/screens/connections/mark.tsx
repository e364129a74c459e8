/**
 * An icon with the first letter of a server's name. Loading the server's logo would reveal its users to the server.
 */
export const Mark = ({ name }: { name: string }) => (
  <span
    aria-hidden
    className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-hover font-semibold text-muted"
  >
    {[...name.trim()][0]?.toUpperCase()}
  </span>
)
