import { ChevronDown } from "lucide-react";
import { Switch as RadixSwitch } from "radix-ui";
import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
} from "react";
import { cx } from "./cx";

interface FieldIds {
  id: string;
  describedBy?: string;
  invalid: boolean;
}

const FieldContext = createContext<FieldIds | null>(null);

export interface FieldProps {
  label: string;
  /** What it is for, in a sentence. */
  help?: ReactNode;
  /** What is wrong with the value. */
  error?: string;
  optional?: string;
  children: ReactNode;
  className?: string;
}

/** A control with its label, help and error, tied together for assistive software. */
export function Field({ label, help, error, optional, children, className }: FieldProps) {
  const id = useId();
  const describedBy = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <FieldContext value={{ id, describedBy, invalid: Boolean(error) }}>
      <div className={cx("flex min-w-0 flex-col gap-1.5", className)}>
        <label id={`${id}-label`} htmlFor={id} className="font-medium">
          {label}
          {optional && <span className="ml-1.5 font-normal text-muted">{optional}</span>}
        </label>
        {children}
        {help && (
          <p id={`${id}-help`} className="text-muted text-sm">
            {help}
          </p>
        )}
        {error && (
          <p id={`${id}-error`} className="text-danger text-sm">
            {error}
          </p>
        )}
      </div>
    </FieldContext>
  );
}

/** Ids for a control that is no input: its name is the label and what it shows. */
export function useFieldName() {
  const id = useContext(FieldContext)?.id;
  return id ? { id, "aria-labelledby": `${id}-label ${id}` } : {};
}

function useField() {
  const field = useContext(FieldContext);
  return field
    ? { id: field.id, "aria-describedby": field.describedBy, "aria-invalid": field.invalid || undefined }
    : {};
}

const CONTROL =
  "w-full min-w-0 rounded border border-line-strong bg-raised text-text shadow-low transition-colors disabled:opacity-60 " +
  "aria-invalid:border-danger focus-visible:-outline-offset-1 focus-visible:border-focus";

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  return (
    <input
      spellCheck={false}
      autoComplete="off"
      {...useField()}
      {...rest}
      className={cx(CONTROL, "h-8.5 px-2.5", className)}
    />
  );
}

export function Textarea({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  return (
    <textarea {...useField()} {...rest} className={cx(CONTROL, "resize-y px-2.5 py-2 leading-normal", className)} />
  );
}

export function Select({ className, children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <span className={cx("relative block", className)}>
      <select {...useField()} {...rest} className={cx(CONTROL, "h-8.5 appearance-none truncate pr-8 pl-2.5")}>
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      />
    </span>
  );
}

export interface SwitchProps {
  label: string;
  help?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
  children?: ReactNode;
}

/** A switch with its text on the left, a whole line wide. */
export function SwitchRow({ label, help, checked, disabled, onChange, children }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-4">
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="block font-medium">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="mt-0.5 text-muted text-sm">
            {help}
          </p>
        )}
        {children}
      </div>
      <RadixSwitch.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-describedby={help ? `${id}-help` : undefined}
        className="relative mt-0.5 h-5 w-9 shrink-0 rounded-full border border-line-strong bg-active transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <RadixSwitch.Thumb className="block size-3.5 translate-x-0.75 rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-4.25 data-[state=checked]:bg-on-accent" />
      </RadixSwitch.Root>
    </div>
  );
}

export interface Choice<V extends string> {
  value: V;
  label: string;
}

/** A few exclusive choices side by side. */
export function Segments<V extends string>(props: {
  label: string;
  value: V;
  choices: Choice<V>[];
  onChange(value: V): void;
}) {
  const name = useId();
  return (
    <fieldset className="flex w-fit max-w-full flex-wrap gap-0.5 rounded border border-line bg-sunken p-0.5">
      <legend className="sr-only">{props.label}</legend>
      {props.choices.map((choice) => (
        <label
          key={choice.value}
          className="relative flex h-7.5 items-center rounded px-3 text-muted transition-colors hover:text-text has-checked:bg-raised has-checked:font-medium has-checked:text-text has-checked:shadow-low has-checked:ring-1 has-checked:ring-line-strong has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={props.value === choice.value}
            onChange={() => props.onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
