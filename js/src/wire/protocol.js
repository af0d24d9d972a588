/** All messages of front-end and kernel. Written by tools/protocol_js.py from protocol.py. */

export const VERSION = 2;
/** Missing number or category of 16 bits (of 8 bits: 255), coordinate that is not drawn. */
export const MISSING = 65535;
/** Label of a missing category. */
export const MISSING_LABEL = "(missing)";
/** Labels of a missing category if sets color the cells: all sets, or one. */
export const [IN_NO_SET_LABEL, NOT_IN_SET_LABEL] = ["in no set", "not in the set"];
/** Label of filtered-out cells that are drawn. */
export const LEFT_OUT_LABEL = "filtered out";
/** Opacity, of 255, of pixels of an image of numbers that have only filtered-out cells. */
export const LEFT_OUT_ALPHA = 1;
/** Sizes of cells are multiples of this fraction of the width of a spot. */
export const SPOT_PARTS = 1024;
/** Number of points in a container of a sparse gene. */
export const CONTAINER = 65536;

/** @typedef {"replace" | "add" | "subtract" | "intersect"} Mode */

/**
 * A front-end has started: asks for the dataset, then points, color and selection. Answered by those messages.
 * @typedef {object} Ready
 * @property {"ready"} kind
 * @property {number} version
 */
/**
 * The first points are being drawn: asks for the rest, which would have delayed them. Not answered.
 * @typedef {object} Begun
 * @property {"begun"} kind
 */
/**
 * Restore a saved state, or dismiss the offer. Answered by `kept` without states.
 *
 * name : of the state, as `kept` lists it; "" = dismiss the offer
 * @typedef {object} Restore
 * @property {"restore"} kind
 * @property {string} name
 */
/**
 * Select the visible cells inside a polygon that pass the filters. Answered by `selection`.
 *
 * polygon : x, y of each corner in turn, in data units of the embedding and axes of the panel
 * @typedef {object} Lasso
 * @property {"lasso"} kind
 * @property {number} panel
 * @property {number[]} polygon
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 */
/**
 * Select all cells of a category that pass the filters, including hidden ones and those without coordinates.
 *
 * Answered by `selection`.
 *
 * color : spec of the legend it was chosen in; code : index into its categories, or into the fields of several genes,
 *     -1 = the cells without one
 * @typedef {object} Category
 * @property {"category"} kind
 * @property {number} panel
 * @property {string} color
 * @property {number} code
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 */
/**
 * Select cells by their rows, if they pass the filters. Answered by `selection`.
 * @typedef {object} Pick
 * @property {"pick"} kind
 * @property {number} panel
 * @property {number[]} rows
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 */
/**
 * Clear the selection. Answered by `selection`.
 * @typedef {object} Clear
 * @property {"clear"} kind
 */
/**
 * Undo or redo a step. Its changes are sent as any change; not answered.
 * @typedef {object} Undo
 * @property {"undo"} kind
 * @property {boolean} redo
 */
/**
 * Ask for the named sets of cells. Answered by `sets`.
 *
 * chosen : names of sets that may be combined: asks for the sizes of union, intersection and difference
 * @typedef {object} AskSets
 * @property {"sets"} kind
 * @property {string[]} chosen
 */
/**
 * Edit a set of cells. Answered by `sets`; other effects are sent as those of any change.
 *
 * op : "add" names the selection, as part of the set `within` unless that is ""; "put" replaces its cells by the
 *     selection; "select" selects its cells by a mode, "others" all other cells; "zoom" zooms to them; "rename"
 *     renames it to `to`; "color" sets its color to `to`; "delete" deletes it; "union", "intersection" and
 *     "difference" make a set of `of`
 * @typedef {object} EditSet
 * @property {"set"} kind
 * @property {"add" | "put" | "select" | "others" | "zoom" | "rename" | "color" | "delete" | "union" | "intersection" | "difference"} op
 * @property {string} name
 * @property {string} to
 * @property {string} within
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 * @property {string[]} of
 */
/**
 * Ask for the annotations, and for labels of one. Answered by `annotations`.
 *
 * name : annotation whose labels to list; "" or an unknown one = the first
 * query : text that listed labels contain, ignoring case; filters : as in `columns`
 * @typedef {object} AskAnnotations
 * @property {"annotations"} kind
 * @property {string} name
 * @property {string} query
 * @property {Record<string, any>[]} filters
 */
/**
 * Edit an annotation. Answered by `annotated`; other effects are sent as those of any change.
 *
 * op : "new" makes it, with the labels of the obs column `to` unless that is ""; "drop" deletes it; "assign" labels
 *     the selected cells, "" = removes their labels; "rename" renames a label to `to`, "merge" merges it into `to`,
 *     "delete" deletes it; "select" selects its cells that pass the filters, "" = those without a label; "save" writes
 *     the file `to`, "" = into obs of the AnnData object
 * on_conflict : what "save" does with other labels of the same name
 * @typedef {object} EditAnnotation
 * @property {"annotation"} kind
 * @property {"new" | "drop" | "assign" | "rename" | "merge" | "delete" | "select" | "save"} op
 * @property {string} name
 * @property {string} label
 * @property {string} to
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 * @property {"error" | "ours" | "theirs"} on_conflict
 */
/**
 * Ask for the counts of the selection in the legend. Answered by `counts`.
 * @typedef {object} Count
 * @property {"count"} kind
 * @property {number} panel
 */
/**
 * Ask for the visible cell nearest to a position on the screen. Answered by `cell`.
 *
 * x, y, radius_x, radius_y : data units; greatest distance along each axis
 * @typedef {object} Hover
 * @property {"hover"} kind
 * @property {number} panel
 * @property {number} x
 * @property {number} y
 * @property {number} radius_x
 * @property {number} radius_y
 */
/**
 * Search for colors. Answered by `matches`.
 * @typedef {object} Search
 * @property {"search"} kind
 * @property {string} query
 * @property {number} limit
 */
/**
 * Ask for the points in a panel's embedding, if that is not the plot's. Answered by `points`.
 * @typedef {object} AskPlace
 * @property {"place"} kind
 * @property {number} panel
 */
/**
 * Ask for the points in a view of a panel's embedding at full precision. Answered by one or more `detail`.
 *
 * view : x0, x1, y0, y1 in data units; either order
 * @typedef {object} Zoom
 * @property {"zoom"} kind
 * @property {number} panel
 * @property {number[]} view
 */
/**
 * Ask for all cells of a view, if only a sample of them was sent. Answered by one or more `image` or `cells`.
 *
 * view : x0 (left), x1 (right), y0 (bottom), y1 (top) in data units
 * width, height : device pixels; diameter : of a point, device pixels
 * highlighted : category to draw on top, -1 = none
 * hidden, density, statistic, filtered : as the traits, which hosts hold back while the kernel is busy
 * weight : value of a pixel: 0 = mean of its cells, 1 = maximum, and in between a value between them; used by the
 *     statistics "auto", "mean" and "max"
 * layers : mean number of other cells that overlap a cell, which sets the opacity; 0 = opaque
 * @typedef {object} Aggregate
 * @property {"aggregate"} kind
 * @property {number} panel
 * @property {number[]} view
 * @property {number} width
 * @property {number} height
 * @property {number} diameter
 * @property {number} highlighted
 * @property {boolean} dark
 * @property {string[]} hidden
 * @property {"linear" | "log" | "cbrt" | "eq_hist"} density
 * @property {number} weight
 * @property {string} statistic
 * @property {"hide" | "grey"} filtered
 * @property {number} layers
 */
/**
 * Ask for the counts of the open columns; all others are closed. Answered by a `column` for each, in order.
 *
 * columns : as the trait `color` has them, "obs:NAME" or "var:NAME"
 * known : columns whose categories or edges the front-end has, which are not sent again, except those of `rows`
 * filters : as the trait, which hosts hold back while the kernel is busy
 * rows : for each column with a long list, the visible categories, as indices, missing last; [] = all, or the first
 *     ones if it is not known yet
 * @typedef {object} AskColumns
 * @property {"columns"} kind
 * @property {number} panel
 * @property {string[]} columns
 * @property {string[]} known
 * @property {Record<string, any>[]} filters
 * @property {number[][]} rows
 */
/**
 * Search the categories of a column. Answered by `found`.
 *
 * column : as the trait `color` has it; query : text, ignoring case
 * labels : whether to send the names of matches too
 * @typedef {object} FindValues
 * @property {"find"} kind
 * @property {number} panel
 * @property {string} column
 * @property {string} query
 * @property {boolean} labels
 */
/**
 * Ask for the color and the cells of a panel. Answered by `color` and its values, and by `filter`.
 * @typedef {object} AskLook
 * @property {"look"} kind
 * @property {number} panel
 */
/**
 * Ask for the fields of the genes that color the plot. Answered by `field_counts`.
 * @typedef {object} AskFields
 * @property {"fields"} kind
 * @property {number} panel
 */
/**
 * A brush was started: ask for everything that its moves need. Answered by a `sums` per column, then by `bins`.
 *
 * column : numeric column of the brush; columns : the other open ones, as the trait `color` has them
 * rows : for each of these the visible categories, as indices, missing last; for numbers none
 * filters : as in `columns`
 * @typedef {object} AskBrush
 * @property {"brush"} kind
 * @property {number} panel
 * @property {string} column
 * @property {string[]} columns
 * @property {number[][]} rows
 * @property {Record<string, any>[]} filters
 */
/**
 * Ask for rows of the table of cells. Answered by `table`.
 *
 * table, filters : as the traits, which hosts hold back while the kernel is busy; no table = its defaults
 * start, n : the first row and how many; none = the table is closed
 * within : for a table of the selection: "filter" = only the cells that pass the filters
 * find : row of a cell in the store, around which rows are requested instead, if it is in the table; -1 = none
 * @typedef {object} AskTable
 * @property {"table"} kind
 * @property {number} panel
 * @property {Record<string, any>} table
 * @property {number} start
 * @property {number} n
 * @property {number} find
 * @property {Record<string, any>[]} filters
 * @property {"" | "filter"} within
 */
/**
 * Ask for rows of the table as text for a file, numbers with all digits. Answered by `csv`.
 *
 * table, filters, within, start, n : as in `table`; a header precedes the first row
 * separator : between two values
 * @typedef {object} AskCsv
 * @property {"csv"} kind
 * @property {number} panel
 * @property {Record<string, any>} table
 * @property {number} start
 * @property {number} n
 * @property {"," | "\t"} separator
 * @property {Record<string, any>[]} filters
 * @property {"" | "filter"} within
 */
/**
 * Parse gene sets from a pasted text; an empty text asks for those of the store. Answered by `gene_sets`.
 *
 * text : a GMT, or names separated by spaces, commas, semicolons or new lines
 * name : of the set, if the text has none; "" = a new name
 * @typedef {object} AskGenes
 * @property {"genes"} kind
 * @property {string} text
 * @property {string} name
 */
/**
 * Ask for the front-end's second module, which draws its panels. Answered by `module`.
 *
 * known : hashes of the modules that the page already has
 * @typedef {object} AskModule
 * @property {"module"} kind
 * @property {string[]} known
 */
/**
 * Ask for the positions of the labels of a column's categories. Answered by `labels`.
 *
 * column : name of an obs column; filters : as in `columns`
 * @typedef {object} AskLabels
 * @property {"labels"} kind
 * @property {number} panel
 * @property {string} column
 * @property {Record<string, any>[]} filters
 */
/**
 * Ask for the contours of the categories of a column, "" = of all cells, or of named sets. Answered by `contours`.
 *
 * filters : as in `columns`; sets : names, [] = those of the column
 * @typedef {object} AskContours
 * @property {"contours"} kind
 * @property {number} panel
 * @property {string} column
 * @property {Record<string, any>[]} filters
 * @property {string[]} sets
 */
/**
 * Ask for the density difference of two named sets. Answered by `difference`; filters : as in `columns`.
 * @typedef {object} AskDifference
 * @property {"difference"} kind
 * @property {number} panel
 * @property {string[]} sets
 * @property {Record<string, any>[]} filters
 */
/**
 * Ask for the list of tissue images of the cells. Answered by `sections`; no image is read.
 * @typedef {object} AskSections
 * @property {"sections"} kind
 */
/**
 * Ask for a tissue image, or the part of it in and around a view. Answered by `tissue`.
 *
 * name : of the image; view : x left, x right, y bottom, y top, data units; width, height : px of the screen
 * @typedef {object} AskTissue
 * @property {"tissue"} kind
 * @property {number} panel
 * @property {string} name
 * @property {number[]} view
 * @property {number} width
 * @property {number} height
 */
/**
 * Ask for the analysis as Python code, or as text. Answered by one or more `figure`.
 *
 * part : "" = all of it, as `w.code` returns it; the name of a panel = what this panel shows; "methods" = `w.methods`
 * @typedef {object} AskCode
 * @property {"code"} kind
 * @property {"" | "methods" | "columns" | "genes" | "sets" | "annotations" | "table" | "compare" | "study"} part
 */
/**
 * Ask for the plot as a file, as `w.save` writes it. Answered by one or more `figure`.
 *
 * width, height : size of the plots, CSS px
 * dark : whether the page is dark, used if no background is set
 * @typedef {object} AskFigure
 * @property {"figure"} kind
 * @property {"svg" | "pdf" | "png" | "html"} suffix
 * @property {number} width
 * @property {number} height
 * @property {boolean} dark
 */
/**
 * Compare cells. Answered by one or more `comparison`.
 *
 * a : "selection", "filter", "set:NAME", or "value:" and [column, category] as JSON
 * b : "rest", "neighborhood", or as a
 * normalize : if the values are counts, compare log1p of counts per 10,000
 * layer : "" = the current layer
 * within : "filter" = only cells that pass the filters take part, in `a`, `b` and the rest; "" = all
 * @typedef {object} Compare
 * @property {"compare"} kind
 * @property {string} a
 * @property {string} b
 * @property {"t-test" | "wilcoxon"} method
 * @property {boolean} normalize
 * @property {"" | "filter"} within
 * @property {string} layer
 */
/**
 * Ask for the newest comparison, made in the page or in Python. Answered by one or more `comparison`.
 *
 * known : number of the result whose names the page has, which are not sent again; 0 = none
 * group : index of the requested group, if each group of a column was compared
 * file : ask for the file of the result `known`, as `to_csv` writes it; answered by `figure`
 * @typedef {object} AskComparison
 * @property {"comparison"} kind
 * @property {number} known
 * @property {number} group
 * @property {boolean} file
 */
/**
 * Ask for the genes that distinguish some cells from all others, ranked from the sketch. Answered by `quick`.
 *
 * polygon : x, y of each corner, as of a lasso, whose cells are estimated; [] = the selected cells, whose sums are
 *     exact if the rest of their tiles is small enough to read
 * rule : filter of one column, as a brush moves; then no polygon. Its cells also pass the filters of other columns
 * is_released : the shape or brush rests, or the brush was released: the sums are exact too, if possible
 * @typedef {object} AskQuick
 * @property {"quick"} kind
 * @property {number} panel
 * @property {number[]} polygon
 * @property {Record<string, any>} rule
 * @property {boolean} is_released
 */
/**
 * Make the sketch: the sums of each gene over tiles of cells. Answered by `quick` of the selected cells.
 *
 * rule : filter of the column whose values divide the cells, and of the cells in the answer; {} = by the embedding
 * @typedef {object} MakeSketch
 * @property {"sketch"} kind
 * @property {number} panel
 * @property {Record<string, any>} rule
 */
/**
 * Ask for one part of the study of the setting `study_design`. Answered by `study_part`.
 *
 * A request only replaces one for the same part.
 *
 * part : "form" needs no design: it proposes columns
 * by : obs column of cell types, "" = none; of "form" the sample column, "" = not chosen yet
 * within : "filter" = cells that pass the filters, "selection" = the selected cells
 * @typedef {object} AskStudy
 * @property {"study"} kind
 * @property {"form" | "samples" | "composition" | "expression" | "differences"} part
 * @property {string} by
 * @property {"filter" | "selection"} within
 */
/**
 * Compare two conditions gene by gene in the cells of one type, samples as donors. Answered by `comparison`.
 *
 * category : a value of `by`, "" = all cells; a, b : conditions
 * @typedef {object} StudyOpen
 * @property {"study_open"} kind
 * @property {string} category
 * @property {string} a
 * @property {string} b
 * @property {string} by
 * @property {"filter" | "selection"} within
 */
/**
 * Select the cells of a point, bar or field that pass the filters. Answered by `selection`.
 *
 * sample : a value of the sample column, condition : one of the condition column, category : one of `by`; "" = any
 * @typedef {object} StudyPick
 * @property {"study_pick"} kind
 * @property {number} panel
 * @property {string} sample
 * @property {string} condition
 * @property {string} category
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 * @property {string} by
 */
/**
 * Cancel long work, as a newer request of its kind would. Not answered; the cancelled request fails as "Overtaken".
 *
 * A setting is set back to what is shown; an index that is being built for a view is dropped.
 * @typedef {object} Cancel
 * @property {"cancel"} kind
 * @property {number} panel
 * @property {"points" | "color" | "aggregate" | "zoom" | "hover" | "search" | "count" | "columns" | "table" | "csv" | "labels" | "contours" | "difference" | "tissue" | "compare" | "sketch" | "study" | "lasso"} of
 */
/**
 * The dataset that was opened.
 *
 * obs_noun, var_noun, set_noun : singular and plural nouns for them; no set_noun = the store has no sets
 * embeddings : name and number of axes of each; columns : name and kind of each obs column
 * colormaps, notes : available names; one sentence for each thing that was skipped or is damaged
 * @typedef {object} DatasetInfo
 * @property {"dataset"} kind
 * @property {string} title
 * @property {number} n_obs
 * @property {number} n_var
 * @property {string[]} obs_noun
 * @property {string[]} var_noun
 * @property {string[]} set_noun
 * @property {Record<string, any>[]} embeddings
 * @property {Record<string, any>[]} columns
 * @property {string[]} colormaps
 * @property {string[]} notes
 */
/**
 * Quantized coordinates of the points start..stop of n_points, in draw order.
 *
 * coordinate = lo + code / 65534 * (hi - lo) with lo, hi from extent = x0, x1, y0, y1 (data units); code 65535 in
 * either axis = not drawn (NaN or infinite); n_missing counts those among all n_obs cells.
 * n_points : total number of points; fewer than n_obs = a sample
 * aggregated : True if a picture at rest is requested by `aggregate` instead of drawn from these points
 * y_down : True if y grows downwards on the screen (tissue images)
 * equal_units : True if both axes have the same scale; else each has its own
 * axis_labels : labels of x and y; empty if an axis alone means nothing, as in a UMAP
 * few : a view of at most so many cells counts as uncrowded
 * embedding : its name; for two columns, both in words
 * n_at_zero : number of all cells at (0, 0) exactly, at 0 of x and of y; empty unless two columns are axes
 * spot : diameter of a spot, data units, if the store states it; else 0. If cells have their own diameters it is their
 *     median, and `sizes` has them
 * place : the embedding as the trait has it: its name, or two columns and their layer
 * panel : one of those with this embedding, if it is not the plot's
 * @typedef {object} Points
 * @property {"points"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {string} embedding
 * @property {number[]} axes
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {number} n_obs
 * @property {number[]} extent
 * @property {number} n_missing
 * @property {boolean} y_down
 * @property {boolean} equal_units
 * @property {string[]} axis_labels
 * @property {boolean} aggregated
 * @property {number} few
 * @property {number[]} n_at_zero
 * @property {number} spot
 * @property {string[]} place
 * @property {{xy: Uint16Array, sizes?: Uint16Array}} arrays
 */
/**
 * The legend of a coloring; its values follow in `codes`, `values` or `nonzeros` of the same seq.
 *
 * spec : value of the trait `color`, always forced ("obs:NAME", "var:NAME", "mean:..."); "" = no color
 * name, detail : heading and subheading of the legend
 * scale "categorical": categories, counts, colors ("#rrggbb") have one entry per category; n_missing counts the rest
 * scale "continuous": lo, hi are the finite range; encoding is "dense" or "sparse"; n_negative, n_zero count cells
 * below
 *     0 and at 0, whose code no other number has; least is the lowest number above 0, or 0
 * levels : lo, hi for even codes; or lo, hi, center, width for codes even in asinh((x - center) / width)
 * several genes, each with a hue: scale "categorical" without categories; colors, dark_colors : of the codes, in draw
 *     order, on light and dark pages; corners : name, limits and code of each entry of the legend
 * is_stated : whether the store states lo and hi, which then are the color limits in any view
 * unscaled : layer with the same genes before scaling, if the layer that is read is scaled; "" = none
 * ordered : whether the categories are ordered; they are then listed in this order, never by size
 * n_points : number of values that follow; everything else describes all n_obs cells
 * @typedef {object} Color
 * @property {"color"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {string} spec
 * @property {string} name
 * @property {string} detail
 * @property {"none" | "categorical" | "continuous"} scale
 * @property {number} n_points
 * @property {number} n_obs
 * @property {number} n_missing
 * @property {string[]} categories
 * @property {number[]} counts
 * @property {string[]} colors
 * @property {number} lo
 * @property {number} hi
 * @property {"none" | "dense" | "sparse"} encoding
 * @property {boolean} is_stated
 * @property {number} n_negative
 * @property {number} n_zero
 * @property {number} least
 * @property {string[]} dark_colors
 * @property {any[][]} corners
 * @property {string} unscaled
 * @property {boolean} ordered
 * @property {number[]} levels
 * @property {{histogram: Uint32Array, quantiles: Float32Array, log_histogram: Uint32Array}} arrays
 */
/**
 * New colors for the current categories; no cell's code changes.
 * @typedef {object} Palette
 * @property {"palette"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {string[]} colors
 */
/**
 * Category codes of the points start..stop in draw order; missing = maximum of the dtype.
 * @typedef {object} CodesOfPoints
 * @property {"codes"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {{codes: Uint8Array | Uint16Array}} arrays
 */
/**
 * Category codes of all points, derived from those of an earlier coloring, `of`, that was sent completely.
 *
 * First every code is replaced by `table`, then those of some points by `codes`.
 * @typedef {object} Recoded
 * @property {"recoded"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} of
 * @property {number} n_points
 * @property {{table: Uint8Array | Uint16Array, bits: Uint8Array, codes: Uint8Array | Uint16Array}} arrays
 */
/**
 * Numbers of the points start..stop in draw order, as codes by the levels of the coloring; 65535 = missing.
 * @typedef {object} ValuesOfPoints
 * @property {"values"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {{values: Uint16Array}} arrays
 */
/**
 * A sparse gene: the points start..stop that differ from `fill`, in containers of 65,536 points.
 *
 * Container c of this message starts at point start + 65536 c and has the next counts[c] entries; the point of an
 * entry is the start of its container + offset. All other points have the code `fill`. Codes are as in `values`.
 * @typedef {object} Nonzeros
 * @property {"nonzeros"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {number} fill
 * @property {{counts: Uint32Array, offsets: Uint16Array, values: Uint16Array}} arrays
 */
/**
 * Which points are selected, in draw order: bit i & 7 of byte i >> 3 is point i. Empty if no cell is.
 *
 * n_selected : of all cells, including those that are not points
 * @typedef {object} Selection
 * @property {"selection"} kind
 * @property {number} seq
 * @property {number} n_selected
 * @property {number} n_points
 * @property {{bits: Uint8Array}} arrays
 */
/**
 * Which points pass the filters, except that of the legend; bits as in `selection`, empty if all do.
 *
 * For a panel other than the first: which points it shows, filtered or not.
 * n_passing : number of all cells that pass all filters, including that of the legend
 * n_shown : number of those that a legend of sets does not hide either, which is not a filter
 * @typedef {object} Filter
 * @property {"filter"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} n_passing
 * @property {number} n_shown
 * @property {number} n_points
 * @property {{bits: Uint8Array}} arrays
 */
/**
 * Counts of the selected cells that pass all filters, by color; empty without a coloring.
 *
 * seq, selection_seq, filter_seq : the coloring, the selection and the filters that were counted
 * n_missing : such cells without a value; n_selected : all such cells
 * @typedef {object} Counts
 * @property {"counts"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} selection_seq
 * @property {number} n_missing
 * @property {number} n_selected
 * @property {number} filter_seq
 * @property {{counts: Uint32Array, passing: Uint32Array}} arrays
 */
/**
 * Cells by field of two or three genes: by the part of its limits in which each gene is.
 *
 * Fields are numbered with the parts of the first gene slowest, and so are the mixes, levels of each gene.
 *
 * seq : of the coloring; names : of the genes; limits : lowest and highest number of each, one after the other
 * words : names of the parts of each gene; levels : number of levels per gene that have a color
 * @typedef {object} FieldCounts
 * @property {"field_counts"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {string[]} names
 * @property {number[]} limits
 * @property {string[]} words
 * @property {number} levels
 * @property {{filtered: Uint32Array, selected: Uint32Array, mixes: Uint16Array}} arrays
 */
/**
 * Number of cells per value of a column, with those without a value last; one of `parts` messages.
 *
 * scale "categorical": categories in their order. "continuous": edges of the bins, which include their left edge; the
 * last one also includes its right edge. Neither is listed if it is known.
 * groups : indices of the largest categories of the current legend; [] if cells are not counted by it
 * rows : for a long list, the categories in the arrays; [] = all. If the list was not known, `all` has all categories
 *     nevertheless, to sort by them
 * error : one sentence if the column cannot be counted; everything else is then empty
 * layer : of a gene, "" = X
 * n_zeros : number of all cells with the value 0
 * about : what var states about a gene, or the unit of an obs column, [name, value] each; not listed if edges are
 *     known
 * n_chosen, n_held : their totals
 * enriched : for a long list, the most enriched categories of the selection, the strongest first
 * @typedef {object} ColumnCounts
 * @property {"column"} kind
 * @property {number} panel
 * @property {number} part
 * @property {number} parts
 * @property {string} column
 * @property {"none" | "categorical" | "continuous"} scale
 * @property {string[]} categories
 * @property {number[]} edges
 * @property {number[]} groups
 * @property {string} error
 * @property {string} layer
 * @property {number} n_zeros
 * @property {string[][]} about
 * @property {number[]} rows
 * @property {number} n_chosen
 * @property {number} n_held
 * @property {number[]} enriched
 * @property {{all: Uint32Array, filtered: Uint32Array, selected: Uint32Array, grouped: Uint32Array, chosen: Uint32Array, held: Uint32Array, odds: Float32Array, log10_p: Float32Array}} arrays
 */
/**
 * Categories of a column that contain a text.
 *
 * labels : names of the first of them, without the missing ones; [] if not requested
 * @typedef {object} FoundValues
 * @property {"found"} kind
 * @property {number} panel
 * @property {string[]} labels
 * @property {{rows: Uint32Array}} arrays
 */
/**
 * Cells of a column that pass a brush on another one and all filters except those of both; one of `parts` messages.
 *
 * The sums are cumulative: those at step k count the cells in the first k * width bins of the brush, so that a brush
 * over whole steps is the difference of two of them. The last step but one has all bins, the last also cells without a
 * value.
 * rows : the counted categories; for numbers all bins are counted, and then the missing ones
 * groups : as in `column`, each row has one part per group; [] = one part
 * @typedef {object} BrushSums
 * @property {"sums"} kind
 * @property {number} panel
 * @property {number} part
 * @property {number} parts
 * @property {string} column
 * @property {number[]} rows
 * @property {number[]} groups
 * @property {number} width
 * @property {{sums: Uint32Array}} arrays
 */
/**
 * The bin of a brush for the points start..stop of n_points in draw order; one of `parts` messages, after `sums`.
 *
 * One more than the last bin = without a value; 255 = fails another filter, except that of the legend.
 * @typedef {object} BrushBins
 * @property {"bins"} kind
 * @property {number} panel
 * @property {number} part
 * @property {number} parts
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {{bins: Uint8Array}} arrays
 */
/**
 * Rows of the table of cells, from position `start` of `total`.
 *
 * rows : row of each cell in the store; names : their labels in the obs index
 * columns : spec, name, detail, is_number, and error, one sentence if it cannot be read
 * values : texts of each column, none if it cannot be read
 * at : position of the requested cell; -1 = not in the table
 * panels : one panel for each embedding other than the plot's; `elsewhere` has the coordinates in them
 * error : one sentence if the cells cannot be sorted so; they are then in the order of the store
 * @typedef {object} Table
 * @property {"table"} kind
 * @property {number} panel
 * @property {number} start
 * @property {number} total
 * @property {number[]} rows
 * @property {string[]} names
 * @property {Record<string, any>[]} columns
 * @property {string[][]} values
 * @property {number} at
 * @property {string} error
 * @property {number[]} panels
 * @property {{xy: Float32Array, selected: Uint8Array, elsewhere: Float32Array}} arrays
 */
/**
 * Rows of the table as text for a file, from position `start` to before `stop`, of `total`.
 *
 * selection_seq : the selection that they show; parts of different selections do not belong to one file
 * @typedef {object} Csv
 * @property {"csv"} kind
 * @property {number} panel
 * @property {number} start
 * @property {number} stop
 * @property {number} total
 * @property {number} selection_seq
 * @property {{text: Uint8Array}} arrays
 */
/**
 * The cell under the pointer; row -1 = there is none.
 *
 * x, y : data units; name : obs index label; value : colored value as text ("" without coloring)
 * fields : [column, value] pairs, both text
 * passes : whether it passes the filters, including the legend's; False only if filtered-out cells are drawn
 * n_beneath : number of shown cells in the circle, if they are too many to name one: name and fields then describe all
 *     of them, [category, share] or their numbers; else 0
 * elsewhere : [panel, x, y] of the cell in each panel of another embedding with coordinates, 0 = the plot
 * @typedef {object} Cell
 * @property {"cell"} kind
 * @property {number} panel
 * @property {number} row
 * @property {number} x
 * @property {number} y
 * @property {string} name
 * @property {string} value
 * @property {string[][]} fields
 * @property {boolean} passes
 * @property {number} n_beneath
 * @property {number[][]} elsewhere
 */
/**
 * Search results, best first: spec (that of the coloring), color (for the trait), label, kind, detail.
 * @typedef {object} Matches
 * @property {"matches"} kind
 * @property {string} query
 * @property {Record<string, any>[]} matches
 * @property {number} n_more
 */
/**
 * The named sets of cells: name, within = parent set ("" = none), is_rule (False = only rows), of, fault, color.
 *
 * of : key by which a filter refers to a set, in addition to its name
 * fault : one sentence why its cells cannot be found, which count as none; "" if they are found
 * combined : sizes of union, intersection and difference of the chosen sets; [] if none are chosen
 * filter_seq, selection_seq : the filters and the selection that were counted
 * @typedef {object} Sets
 * @property {"sets"} kind
 * @property {number} filter_seq
 * @property {number} selection_seq
 * @property {Record<string, any>[]} sets
 * @property {number[]} combined
 * @property {{counts: Uint32Array}} arrays
 */
/**
 * The annotations, and labels of the one called `name` ("" = there is none).
 *
 * annotations : name, n_labels and is_saved (whether a file has all its labels) of each
 * labels, colors : those that contain the query, in their order, the first of n_found
 * n_left_out : number of selected cells that do not pass the filters
 * has_obs : whether labels can be written into obs of an AnnData object
 * @typedef {object} AnnotationLabels
 * @property {"annotations"} kind
 * @property {Record<string, any>[]} annotations
 * @property {string} name
 * @property {string[]} labels
 * @property {string[]} colors
 * @property {number} n_found
 * @property {number} n_left_out
 * @property {boolean} has_obs
 * @property {{counts: Uint32Array}} arrays
 */
/**
 * Result of an edit of an annotation.
 *
 * sentence : one sentence about effects that the page does not show, such as the saved file
 * conflict : if the target has other labels and `on_conflict` did not decide: number of labeled cells here, number
 *     there, and how many differ; nothing was written
 * @typedef {object} Annotated
 * @property {"annotated"} kind
 * @property {string} sentence
 * @property {number[]} conflict
 */
/**
 * Gene sets: name, n = number of genes, and genes; for those of the store, only the first genes.
 *
 * sentence : one sentence that lists skipped names, "" if there are none
 * @typedef {object} GeneSets
 * @property {"gene_sets"} kind
 * @property {Record<string, any>[]} sets
 * @property {string} sentence
 */
/**
 * Points of a view at full precision; codes as in `points`, over `extent`; one of parts, start = first entry.
 * @typedef {object} Detail
 * @property {"detail"} kind
 * @property {number} part
 * @property {number} parts
 * @property {number[]} extent
 * @property {{index: Uint32Array, xy: Uint16Array}} arrays
 */
/**
 * All cells of a view, aggregated to pixels; row 0 is the top.
 *
 * content "colors": the pixels, straight alpha. "numbers": red and green are the high and low byte of a code as in
 * `values` (65535 = no value), blue is the opacity, or 1 for pixels that have only filtered-out cells; the front-end
 * applies the colormap.
 * points_seq, seq, selection_seq : the points, the coloring and the selection it shows; n_inside : number of cells in
 *     the view that pass the filters, or of all if the others are drawn too
 * statistic : name of the numbers if they are not those of cells, such as a standard deviation. The codes then span
 *     the first two numbers of `scale` instead of the range of the coloring, the colors span the next two, and the
 *     last is the lowest number above 0, as in `color`; levels : as in `color`. "" and [] otherwise
 * part, parts : number of this part of the file, and of all; only the first has values in the other arrays
 * @typedef {object} Image
 * @property {"image"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {number} seq
 * @property {number} selection_seq
 * @property {number[]} view
 * @property {"colors" | "numbers"} content
 * @property {number} n_inside
 * @property {string} statistic
 * @property {number[]} scale
 * @property {number[]} levels
 * @property {number} part
 * @property {number} parts
 * @property {{png: Uint8Array, histogram: Uint32Array, quantiles: Float32Array, log_histogram: Uint32Array}} arrays
 */
/**
 * The cells of a view at full precision, in random order, if it has few enough; one of `parts` messages.
 *
 * Seqs as in `image`. Codes of `xy` as in `points`, over `extent`; `codes` as in `codes` or `values`, empty without a
 * coloring; `bits` as in `selection`, empty if no cell is selected; `passing` as `bits` in `filter`, empty if all
 * pass.
 * @typedef {object} Cells
 * @property {"cells"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {number} seq
 * @property {number} selection_seq
 * @property {number} part
 * @property {number} parts
 * @property {number[]} extent
 * @property {{xy: Uint16Array, sizes?: Uint16Array, codes: Uint8Array | Uint16Array, bits: Uint8Array, passing: Uint8Array}} arrays
 */
/**
 * Positions of the labels of categories: the densest place of their cells that pass the filters.
 *
 * The largest category is first. codes : indices into the categories of the column; labels : their texts; counts :
 * cells that pass; n_present : number of categories with such cells
 * extent : x0, x1, y0, y1, data units, for the codes of `xy`, as in `points`
 * @typedef {object} LabelPlaces
 * @property {"labels"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {string} column
 * @property {number[]} codes
 * @property {string[]} labels
 * @property {number[]} counts
 * @property {number} n_present
 * @property {number[]} extent
 * @property {{xy: Uint16Array}} arrays
 */
/**
 * Closed lines around the densest regions that contain given shares of the cells of categories.
 *
 * column : "" = of all cells; then there is one category, without a name, with code -1
 * codes, labels, n_present : as in `labels`
 * categories, shares, n_rings : for each contour, the index into codes, the share of cells inside, and its number of
 *     rings; extent : as in `labels`
 * sets, colors : for contours of sets, their names, which are also the labels, and a color for each; codes are -1
 * @typedef {object} Contours
 * @property {"contours"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {string} column
 * @property {number[]} codes
 * @property {string[]} labels
 * @property {number} n_present
 * @property {number[]} categories
 * @property {number[]} shares
 * @property {number[]} n_rings
 * @property {number[]} extent
 * @property {string[]} sets
 * @property {string[]} colors
 * @property {{lengths: Uint32Array, xy: Uint16Array}} arrays
 */
/**
 * Density difference of two sets: log2 of the ratio of their densities, each relative to its own cells.
 *
 * counts : cells of each set that pass; least : cells of both sets that must be near a bin, or it is blank
 * limit : ratio of the highest code and above; code 0 is minus this and below
 * shape : lines and columns, the first line at the lowest y; extent : x0, x1, y0, y1 of all bins, data units
 * @typedef {object} Difference
 * @property {"difference"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {string[]} sets
 * @property {number[]} counts
 * @property {number} least
 * @property {number} limit
 * @property {number[]} shape
 * @property {number[]} extent
 * @property {{codes: Uint8Array, colors: Uint8Array, dark_colors: Uint8Array}} arrays
 */
/**
 * Names of the tissue images that can be shown, the best first.
 * @typedef {object} SectionList
 * @property {"sections"} kind
 * @property {string[]} names
 */
/**
 * A tissue image, or a part of it, as a JPEG file.
 *
 * extent : x0, x1, y0, y1 of its edges, data units, its first line at y0; whole : those of the whole image
 * per_px : number of px of the stored image per px, 1 = full resolution; um : micrometers per data unit, 0 = unknown;
 *     spot : diameter of a spot of its library, data units, 0 = unknown
 * outline : x and y of four corners, data units, outside of which nothing of the file is drawn; [] = draw all of it
 * part, parts : as in `image`
 * @typedef {object} Tissue
 * @property {"tissue"} kind
 * @property {number} panel
 * @property {string} name
 * @property {number[]} extent
 * @property {number[]} whole
 * @property {number} per_px
 * @property {number} um
 * @property {number} spot
 * @property {number[]} outline
 * @property {number} part
 * @property {number} parts
 * @property {{jpeg: Uint8Array}} arrays
 */
/**
 * A part of a file of a figure or a comparison, or of code, from 0 to below `parts`; they arrive in any order.
 * @typedef {object} FigurePart
 * @property {"figure"} kind
 * @property {number} part
 * @property {number} parts
 * @property {{file: Uint8Array}} arrays
 */
/**
 * A new comparison, made in the page or in Python, can be requested; `seq` is its number.
 * @typedef {object} Compared
 * @property {"compared"} kind
 * @property {number} seq
 */
/**
 * Rows of the newest comparison from `start` on, in the order of the store, in one of `parts` messages.
 *
 * seq : number of the result, 0 = there is none
 * title : what was compared, and how; notes : sentences that explain the numbers. Only in the first part, as are sets
 *     and groups
 * sets : names of a and b; groups : if each group of a column was compared, their names; group : the one in this
 *     message
 * unscaled : layer to compare in instead, if the values are scaled and a layer holds the original ones; "" = none
 * names : of the rows, as in var; symbols : readable names, if they differ; neither if the page has them
 * @typedef {object} Comparison
 * @property {"comparison"} kind
 * @property {number} seq
 * @property {string} title
 * @property {string[]} notes
 * @property {string[]} sets
 * @property {string[]} groups
 * @property {number} group
 * @property {number} n_genes
 * @property {number} start
 * @property {number} parts
 * @property {string[]} names
 * @property {string[]} symbols
 * @property {string} unscaled
 * @property {{values: Float32Array, n: Uint32Array}} arrays
 */
/**
 * The genes with the highest t of Welch between some cells and all others, highest first, without p.
 *
 * has_sketch : if not, nothing is known of the genes
 * n_bytes, read_bytes : without a sketch, its size on disk, and the bytes decoded to make it; else 0
 * is_remote : whether the matrix is in remote storage
 * n_cells : number of the cells; n_read : number counted exactly; if they are equal, the numbers are exact
 * names : as in var; symbols : readable names, if they differ
 * @typedef {object} Quick
 * @property {"quick"} kind
 * @property {boolean} has_sketch
 * @property {number} n_bytes
 * @property {number} read_bytes
 * @property {boolean} is_remote
 * @property {number} n_cells
 * @property {number} n_read
 * @property {string[]} names
 * @property {string[]} symbols
 * @property {{values: Float32Array}} arrays
 */
/**
 * One part of a study: a point for each row and sample.
 *
 * title : what was measured: unit, n and test; "" = no design; notes : sentences about samples left out or confounded
 * conditions : in the order of their categories; colors : of each, as the plot has them
 * samples : name (as excluded), sample, condition (index), pair (value of its column, "" = none), n_cells (within),
 *     n_all (of the dataset), excluded, covariates (text or number for each of `columns`, null = missing or several)
 * columns : name, kind ("category" or "number"), categories; the covariates, or of "form" columns to choose from:
 *     possible samples, or, if a sample column is chosen, those with one value per sample
 * rows : gene and category ("" = none) of each row, those with the largest |effect| of the first pair first
 * pairs : indices of two conditions that are tested, the first minus the second
 * is_log2 : whether an effect is a difference of log2 values; else of the values themselves
 * @typedef {object} StudyPart
 * @property {"study_part"} kind
 * @property {"form" | "samples" | "composition" | "expression" | "differences"} part
 * @property {string} title
 * @property {string[]} notes
 * @property {string[]} conditions
 * @property {Record<string, any>[]} samples
 * @property {Record<string, any>[]} columns
 * @property {Record<string, any>[]} rows
 * @property {number[][]} pairs
 * @property {string[]} colors
 * @property {boolean} is_log2
 * @property {{values: Float32Array, counts: Uint32Array, tests: Float32Array}} arrays
 */
/**
 * The second module of the front-end, which draws panels: deflated code (zlib), empty if the page has it.
 * @typedef {object} Module
 * @property {"module"} kind
 * @property {string} hash
 * @property {{code: Uint8Array}} arrays
 */
/**
 * Progress of long one-time work; `done` from 0 to 1, which also ends cancelled work.
 *
 * of : the "index" of all cells, a "reading" of data as a whole, or the start of "datashader"
 * ends_by : what to `cancel` to end it; "" if it cannot be cancelled
 * what : description, such as "Reading genes 12,000 of 20,000"; "" for an index, which the page describes itself
 * @typedef {object} Progress
 * @property {"progress"} kind
 * @property {"index" | "reading" | "datashader"} of
 * @property {number} done
 * @property {"" | "aggregate" | "color" | "compare" | "sketch" | "study"} ends_by
 * @property {string} what
 */
/**
 * Saved states of this dataset that can be restored, sent after the first points are drawn; [] = no offer.
 *
 * states : newest of this notebook first: name, at (seconds since 1970), notebook ("" = this one, or unknown),
 *     counts (of sets, labels, annotations, gene_sets, pins, filters, panels), unsaved (annotations that no file has)
 * @typedef {object} Kept
 * @property {"kept"} kind
 * @property {Record<string, any>[]} states
 */
/**
 * What the last action read from the store, sent if it differs from that of the action before.
 *
 * of : kind of the action; n_bytes : as stored; n_reads : number of reads, 0 = all was in memory
 * is_ahead : whether storage was prefetched, so that n_reads is an upper limit
 * @typedef {object} CostOf
 * @property {"cost"} kind
 * @property {string} of
 * @property {number} n_bytes
 * @property {number} n_reads
 * @property {boolean} is_ahead
 */
/**
 * A request that failed, in one sentence; the plot stays as it was. `of` names the kind that failed.
 *
 * details : the full text, with paths and the message of a library; "" if the sentence is complete
 * Type "Overtaken" is no failure: a newer request replaced it, and nothing more will come.
 * @typedef {object} Error
 * @property {"error"} kind
 * @property {string} of
 * @property {string} type
 * @property {string} message
 * @property {string} details
 */

/** @typedef {Ready | Begun | Restore | Lasso | Category | Pick | Clear | Undo | AskSets | EditSet | AskAnnotations | EditAnnotation | Count | Hover | Search | AskPlace | Zoom | Aggregate | AskColumns | FindValues | AskLook | AskFields | AskBrush | AskTable | AskCsv | AskGenes | AskModule | AskLabels | AskContours | AskDifference | AskSections | AskTissue | AskCode | AskFigure | Compare | AskComparison | AskQuick | MakeSketch | AskStudy | StudyOpen | StudyPick | Cancel} Request */
/** @typedef {DatasetInfo | Points | Color | Palette | CodesOfPoints | Recoded | ValuesOfPoints | Nonzeros | Selection | Filter | Counts | FieldCounts | ColumnCounts | FoundValues | BrushSums | BrushBins | Table | Csv | Cell | Matches | Sets | AnnotationLabels | Annotated | GeneSets | Detail | Image | Cells | LabelPlaces | Contours | Difference | SectionList | Tissue | FigurePart | Compared | Comparison | Quick | StudyPart | Module | Progress | Kept | CostOf | Error} Reply */

/** @typedef {[dtypes: string[], shape: (string | number)[], isOptional?: true]} ArraySpec a shape names its sizes */

/** @type {Record<string, Record<string, ArraySpec>>} */
export const REPLY_ARRAYS = {
  dataset: {},
  points: {"xy": [["uint16"], ["stop-start", 2]], "sizes": [["uint16"], ["stop-start"], true]},
  color: {"histogram": [["uint32"], ["n_bins"]], "quantiles": [["float32"], ["n_quantiles"]], "log_histogram": [["uint32"], ["n_log_bins"]]},
  palette: {},
  codes: {"codes": [["uint8", "uint16"], ["stop-start"]]},
  recoded: {"table": [["uint8", "uint16"], ["n_before + 1"]], "bits": [["uint8"], ["n_bytes"]], "codes": [["uint8", "uint16"], ["n or 1 or 0"]]},
  values: {"values": [["uint16"], ["stop-start"]]},
  nonzeros: {"counts": [["uint32"], ["n_containers"]], "offsets": [["uint16"], ["n_entries"]], "values": [["uint16"], ["n_entries"]]},
  selection: {"bits": [["uint8"], ["n_bytes"]]},
  filter: {"bits": [["uint8"], ["n_bytes"]]},
  counts: {"counts": [["uint32"], ["n"]], "passing": [["uint32"], ["k"]]},
  field_counts: {"filtered": [["uint32"], ["n"]], "selected": [["uint32"], ["n"]], "mixes": [["uint16"], ["n_mixes"]]},
  column: {"all": [["uint32"], ["n_all"]], "filtered": [["uint32"], ["n"]], "selected": [["uint32"], ["n"]], "grouped": [["uint32"], ["n", "n_groups"]], "chosen": [["uint32"], ["n or 0"]], "held": [["uint32"], ["n or 0"]], "odds": [["float32"], ["k or 0"]], "log10_p": [["float32"], ["k or 0"]]},
  found: {"rows": [["uint32"], ["n"]]},
  sums: {"sums": [["uint32"], ["n_steps", "n_rows", "n_parts"]]},
  bins: {"bins": [["uint8"], ["stop-start"]]},
  table: {"xy": [["float32"], ["n", 2]], "selected": [["uint8"], ["n"]], "elsewhere": [["float32"], ["n_panels", "n", 2]]},
  csv: {"text": [["uint8"], ["n_bytes"]]},
  cell: {},
  matches: {},
  sets: {"counts": [["uint32"], ["n", 4]]},
  annotations: {"counts": [["uint32"], ["n", 3]]},
  annotated: {},
  gene_sets: {},
  detail: {"index": [["uint32"], ["n"]], "xy": [["uint16"], ["n", 2]]},
  image: {"png": [["uint8"], ["n_bytes"]], "histogram": [["uint32"], ["n_bins or 0"]], "quantiles": [["float32"], ["n_quantiles or 0"]], "log_histogram": [["uint32"], ["n_log_bins"]]},
  cells: {"xy": [["uint16"], ["n", 2]], "sizes": [["uint16"], ["n"], true], "codes": [["uint8", "uint16"], ["n or 0"]], "bits": [["uint8"], ["n_bytes or 0"]], "passing": [["uint8"], ["0 or n_bytes"]]},
  labels: {"xy": [["uint16"], ["n", 2]]},
  contours: {"lengths": [["uint32"], ["n_rings"]], "xy": [["uint16"], ["n", 2]]},
  difference: {"codes": [["uint8"], ["n"]], "colors": [["uint8"], ["n_codes", 3]], "dark_colors": [["uint8"], ["n_codes", 3]]},
  sections: {},
  tissue: {"jpeg": [["uint8"], ["n_bytes"]]},
  figure: {"file": [["uint8"], ["n_bytes"]]},
  compared: {},
  comparison: {"values": [["float32"], [9, "n"]], "n": [["uint32"], [2, "n"]]},
  quick: {"values": [["float32"], [5, "n"]]},
  study_part: {"values": [["float32"], ["n_rows", "n_samples"]], "counts": [["uint32"], ["n_rows", "n_samples"]], "tests": [["float32"], [6, "n_rows", "n_pairs"]]},
  module: {"code": [["uint8"], ["n_bytes"]]},
  progress: {},
  kept: {},
  cost: {},
  error: {},
};
