/** Something that holds on to something else until it is told to let go. */
export interface Disposable {
  dispose(): void;
}
