/* views.c - Larder::View: gives a Ruby block access to the bytes of a String in the store.
 *
 * - A view has an address only while its block runs. A slice reads the address of the whole view,
 *   so view_end() needs to remove only one address.
 * - A method first checks its arguments, which may run Ruby code, and only then reads the address.
 *   While it uses the bytes, no Ruby code runs, no interrupt is checked and the GVL is kept, so the
 *   block cannot end. Methods return copies.
 * - A view is not an IO::Buffer. An IO::Buffer keeps its address while it yields, and while it
 *   works without the GVL, so it could still read the bytes after the block has ended.
 * - A view is neither shareable nor movable, so no other Ractor can get it. */
#include "larder_ruby.h"

#include <string.h>

typedef struct view {
    /* For a slice: the view of the whole String. Only that view has `owner` and `data`. For any
     * other view: this view itself. */
    VALUE whole;
    /* Keeps the bytes alive, even if the block of view() never ends. Not set in a slice. */
    VALUE owner;
    /* The address of the bytes, or NULL after the block of view(). Not set in a slice. */
    const char *data;
    size_t offset, size;
} view;

static void view_mark(void *data)
{
    rb_gc_mark(((const view *)data)->whole);
    /* `data` points into the owner, which rb_gc_mark() keeps from moving */
    rb_gc_mark(((const view *)data)->owner);
}

static size_t view_memsize(const void *data)
{
    (void)data;
    return sizeof(view);
}

static const rb_data_type_t view_type = {
    .wrap_struct_name = "Larder::View",
    .function = {.dmark = view_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = view_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static view *view_of(VALUE self) { return rb_check_typeddata(self, &view_type); }

static VALUE view_make(view **out)
{
    VALUE object = TypedData_Make_Struct(larder_view_class, view, &view_type, *out);
    (*out)->whole = object;
    (*out)->owner = Qnil;
    return object;
}

/* Return the address of a view's bytes. The address is valid until Ruby code runs. Raises if the
 * block has ended. */
static const char *view_data(const view *self)
{
    const char *data = view_of(self->whole)->data;
    if (data == NULL)
        rb_raise(larder_closed_error, "the view has ended with the block of Cache#view");
    return data + self->offset;
}

/* Return an argument as a number, or `otherwise` if it is missing. */
static size_t view_number(int argc, const VALUE *argv, int index, const char *name, size_t max,
                          size_t otherwise)
{
    if (index >= argc || (index != 0 && NIL_P(argv[index])))
        return otherwise;
    if (!RB_INTEGER_TYPE_P(argv[index]))
        rb_raise(rb_eTypeError, "%s must be an Integer, not %" PRIsVALUE, name,
                 rb_obj_class(argv[index]));
    if (!RB_FIXNUM_P(argv[index]) || FIX2LONG(argv[index]) < 0 ||
        (size_t)FIX2LONG(argv[index]) > max)
        rb_raise(rb_eArgError, "%s must be in 0..%zu, not %" PRIsVALUE, name, max, argv[index]);
    return (size_t)FIX2LONG(argv[index]);
}

/* Read the optional arguments `offset` (default: 0) and `length` (default: all bytes from `offset`
 * on). */
static void view_range(const view *self, int argc, const VALUE *argv, size_t *offset, size_t *size)
{
    /* raise ClosedError before errors of the arguments */
    view_data(self);
    *offset = view_number(argc, argv, 0, "offset", self->size, 0);
    *size = view_number(argc, argv, 1, "length", self->size - *offset, self->size - *offset);
}

static VALUE view_size(VALUE self)
{
    view_data(view_of(self));
    return SIZET2NUM(view_of(self)->size);
}

static VALUE view_is_null(VALUE self)
{
    return view_of(view_of(self)->whole)->data == NULL ? Qtrue : Qfalse;
}

/* @overload get_string(offset = 0, length = nil, encoding = Encoding::BINARY) */
static VALUE view_get_string(int argc, VALUE *argv, VALUE self)
{
    const view *own = view_of(self);
    size_t offset, size;
    rb_check_arity(argc, 0, 3);
    rb_encoding *encoding =
        argc == 3 && !NIL_P(argv[2]) ? rb_to_encoding(argv[2]) : rb_ascii8bit_encoding();
    view_range(own, argc, argv, &offset, &size);
    return rb_enc_str_new(view_data(own) + offset, (long)size, encoding);
}

/* @overload slice(offset = 0, length = nil) */
static VALUE view_slice(int argc, VALUE *argv, VALUE self)
{
    const view *own = view_of(self);
    size_t offset, size;
    view *part;
    rb_check_arity(argc, 0, 2);
    view_range(own, argc, argv, &offset, &size);
    VALUE object = view_make(&part);
    part->offset = own->offset + offset;
    part->size = size;
    RB_OBJ_WRITE(object, &part->whole, own->whole);
    return object;
}

static VALUE view_getbyte(VALUE self, VALUE index)
{
    const view *own = view_of(self);
    long at = NUM2LONG(index);
    if (at < 0)
        at += (long)own->size;
    const char *data = view_data(own);
    return at < 0 || (size_t)at >= own->size ? Qnil : INT2FIX((unsigned char)data[at]);
}

/* @overload byteindex(string, offset = 0) */
static VALUE view_byteindex(int argc, VALUE *argv, VALUE self)
{
    const view *own = view_of(self);
    rb_check_arity(argc, 1, 2);
    VALUE wanted = argv[0];
    StringValue(wanted);
    const char *data = view_data(own);
    size_t offset = view_number(argc - 1, argv + 1, 0, "offset", own->size, 0);
    size_t len = (size_t)RSTRING_LEN(wanted);
    if (len == 0)
        return SIZET2NUM(offset);
    const char *at = memmem(data + offset, own->size - offset, RSTRING_PTR(wanted), len);
    RB_GC_GUARD(wanted);
    return at != NULL ? SIZET2NUM((size_t)(at - data)) : Qnil;
}

/* Compare the bytes with those of a String or another view. Returns -1, 0 or 1, or nil for any
 * other object. */
static VALUE view_compare(VALUE self, VALUE other)
{
    const view *own = view_of(self);
    const char *data = view_data(own), *with;
    size_t size;
    if (RB_TYPE_P(other, T_STRING)) {
        with = RSTRING_PTR(other);
        size = (size_t)RSTRING_LEN(other);
    } else if (rb_typeddata_is_kind_of(other, &view_type)) {
        with = view_data(view_of(other));
        size = view_of(other)->size;
    } else {
        return Qnil;
    }
    int order = memcmp(data, with, own->size < size ? own->size : size);
    if (order == 0)
        order = own->size < size ? -1 : own->size > size;
    return INT2FIX(order < 0 ? -1 : order > 0);
}

/* ---- lending ---- */

struct view_loan {
    VALUE lease, object;
};

static VALUE view_yield(VALUE argument)
{
    return rb_yield(((const struct view_loan *)argument)->object);
}

static VALUE view_end(VALUE argument)
{
    const struct view_loan *loan = (const struct view_loan *)argument;
    view_of(loan->object)->data = NULL;
    view_of(loan->object)->owner = Qnil;
    larder_lease_end(loan->lease);
    return Qnil;
}

VALUE larder_view_yield(VALUE lease, VALUE string, const char *data, size_t size)
{
    view *own;
    struct view_loan loan = {.lease = lease, .object = view_make(&own)};
    own->data = data;
    own->size = size;
    RB_OBJ_WRITE(loan.object, &own->owner, NIL_P(string) ? lease : string);
    return rb_ensure(view_yield, (VALUE)&loan, view_end, (VALUE)&loan);
}

void larder_views_define(void)
{
    rb_undef_alloc_func(larder_view_class);
    rb_undef_method(CLASS_OF(larder_view_class), "new");
    rb_define_method(larder_view_class, "size", view_size, 0);
    rb_define_method(larder_view_class, "null?", view_is_null, 0);
    rb_define_method(larder_view_class, "get_string", view_get_string, -1);
    rb_define_method(larder_view_class, "slice", view_slice, -1);
    rb_define_method(larder_view_class, "getbyte", view_getbyte, 1);
    rb_define_method(larder_view_class, "byteindex", view_byteindex, -1);
    rb_define_method(larder_view_class, "<=>", view_compare, 1);
}
