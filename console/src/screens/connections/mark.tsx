/** The first letter of a server's name. Loading its logo would tell the server about its users. */
export const Mark = ({ name }: { name: string }) => (
  <span
    aria-hidden
    className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-hover font-semibold text-muted"
  >
    {[...name.trim()][0]?.toUpperCase()}
  </span>
)
