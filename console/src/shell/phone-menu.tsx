import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Drawer } from '../ui/dialog.tsx'
import { Sidebar } from './sidebar.tsx'

/** The navigation on narrow screens, in a drawer. */
export default function PhoneMenu({ onClose }: { onClose: () => void }) {
  const { href } = useLocation()
  const [opened] = useState(href)
  useEffect(() => {
    // The menu of organizations also opens pages.
    if (href !== opened) onClose()
  }, [href, opened, onClose])
  return (
    <Drawer open onClose={onClose} title="Parley" side="left">
      <div className="-m-4 h-[calc(100%+2rem)]">
        <Sidebar onChosen={onClose} />
      </div>
    </Drawer>
  )
}
