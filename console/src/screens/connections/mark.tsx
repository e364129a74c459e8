import { Avatar } from '../../ui/avatar.tsx'

/** The mark of a server. The same name always has the same color. */
export const Mark = ({ name }: { name: string }) => <Avatar id={name} name={name} size="medium" />
