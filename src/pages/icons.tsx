/** Line icons on a grid of 24 units, in the color of the text. Screen readers skip them, because each has a text next to it. */
const paths = {
  bank: 'M4 10h16M12 4 4 8.5V10h16V8.5L12 4ZM6.5 10v7m3.7-7v7m3.6-7v7m3.7-7v7M4 20h16M4.5 17h15',
  card: 'M3 6.5h18v11H3zM3 10h18M6.5 14.5h4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17ZM12 7.5V12l3 2',
  copy: 'M9 9h10.5v10.5H9zM5.5 15H4.5V4.5H15v1',
  cross: 'm6.5 6.5 11 11m0-11-11 11',
  freeze: 'M12 3.5v17M4.6 7.75l14.8 8.5m0-8.5-14.8 8.5M9.5 4.5 12 7l2.5-2.5m-5 15L12 17l2.5 2.5',
  info: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17ZM12 11v5m0-8.2v.2',
  left: 'M19 12H5m6-6-6 6 6 6',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  mail: 'M3.5 6h17v12h-17zm0 .5 8.5 7 8.5-7',
  pause: 'M8 6v12m8-12v12',
  phone: 'M7.5 3.5h9v17h-9zM10.5 17.5h3',
  play: 'M8 5.5v13L18.5 12 8 5.5Z',
  send: 'M20.5 3.5 3.5 10l7 3.5m10-10-6.5 17-3.5-7m10-10-10 10',
  warning: 'M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5m0 2.6v.2',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
