import { Popover as RadixPopover } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'
import { closeOnEscape } from './close-on-escape.ts'

export interface PopoverPanelProps {
  trigger: ReactNode
  /** The accessible name of the panel. */
  label: string
  side?: 'top' | 'bottom'
  className: string
  /** Renders the content. `close` closes the panel. */
  children: (close: () => void) => ReactNode
}

/** An open panel next to its trigger. */
export default function PopoverPanel({
  trigger,
  label,
  side = 'bottom',
  className,
  children,
}: PopoverPanelProps) {
  const [isOpen, setOpen] = useState(true)
  return (
    <RadixPopover.Root open={isOpen} onOpenChange={setOpen}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          aria-label={label}
          onKeyDown={closeOnEscape(() => setOpen(false))}
          side={side}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={classNames('appear rounded-xl border border-line bg-raised shadow-lg', className)}
        >
          {children(() => setOpen(false))}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  )
}
