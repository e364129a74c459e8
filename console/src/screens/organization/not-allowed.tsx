import { Lock } from 'lucide-react'
import { Empty } from '../../ui/states.tsx'

/** For who comes by a link to what the own role does not show. */
export const NotAllowed = ({ needs }: { needs: string }) => (
  <Empty icon={Lock} title="Your role does not show this">
    It needs the permission <code className="font-mono">{needs}</code>. Ask an owner of the organization for
    it.
  </Empty>
)
